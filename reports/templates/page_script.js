"use strict";
(() => {
  const time = (ns) => ns < 1e3 ? ns.toFixed(0) + " ns" : ns < 1e6 ? (ns / 1e3).toPrecision(3) + " us"
    : ns < 1e9 ? (ns / 1e6).toPrecision(4) + " ms" : (ns / 1e9).toPrecision(4) + " s";
  const whole = 1000, narrowest = whole / 1e5;

  // A drawing that zooms and moves: buttons, keys, the wheel with Ctrl, and dragging.
  const zoomable = (drawing) => {
    const svg = drawing.querySelector("svg"), height = svg.viewBox.baseVal.height, ns = Number(svg.dataset.spanNs) / whole;
    const ticks = [...drawing.querySelectorAll(".ticks span")];
    const reading = document.getElementById(drawing.dataset.reading);
    let from = 0, width = whole;
    const show = () => {
      width = Math.min(whole, Math.max(narrowest, width));
      from = Math.min(whole - width, Math.max(0, from));
      svg.setAttribute("viewBox", `${from} 0 ${width} ${height}`);
      ticks.forEach((tick, i) => { tick.textContent = time((from + width * i / (ticks.length - 1)) * ns); });
    };
    const zoom = (factor, at = .5) => { from += at * width * (1 - factor); width *= factor; show(); };
    const act = {
      in: () => zoom(.5), out: () => zoom(2), all: () => { from = 0; width = whole; show(); },
      left: () => { from -= width / 4; show(); }, right: () => { from += width / 4; show(); },
    };
    for (const button of document.querySelectorAll(`[data-for="${drawing.id}"] [data-do]`)) {
      button.addEventListener("click", () => act[button.dataset.do]());
    }
    const keys = { "+": "in", "=": "in", "-": "out", "0": "all", ArrowLeft: "left", ArrowRight: "right" };
    svg.addEventListener("keydown", (event) => {
      if (!keys[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
      act[keys[event.key]]();
      event.preventDefault();
    });
    svg.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && document.activeElement !== svg) return;
      const box = svg.getBoundingClientRect();
      zoom(event.deltaY > 0 ? 1.25 : .8, (event.clientX - box.left) / box.width);
      event.preventDefault();
    }, { passive: false });
    let held = null;
    svg.addEventListener("pointerdown", (event) => { held = { x: event.clientX, from }; svg.classList.add("held"); });
    addEventListener("pointermove", (event) => {
      if (!held) return;
      from = held.from - (event.clientX - held.x) / svg.getBoundingClientRect().width * width;
      show();
    });
    addEventListener("pointerup", () => { held = null; svg.classList.remove("held"); });
    const read = (event) => {
      const title = event.target.querySelector && event.target !== svg && event.target.querySelector("title");
      if (reading && title) reading.textContent = title.textContent;
    };
    svg.addEventListener("pointerover", read);
    svg.addEventListener("click", read);
    return (start, end) => {
      width = Math.max((end - start) * 8, whole / 2000);
      from = (start + end - width) / 2;
      show();
    };
  };

  const drawings = new Map([...document.querySelectorAll(".drawing")].map((drawing) => [drawing.id, zoomable(drawing)]));
  for (const button of document.querySelectorAll("button[data-from]")) {
    button.addEventListener("click", () => {
      drawings.get("picture")(Number(button.dataset.from), Number(button.dataset.to));
      const svg = document.querySelector("#picture svg");
      svg.scrollIntoView({ block: "center" });
      svg.focus({ preventScroll: true });
    });
  }

  const table = document.getElementById("kernels");
  if (table) {
    const body = table.tBodies[0], headers = [...table.tHead.rows[0].cells];
    const value = (row, column) => {
      const cell = row.cells[column];
      return cell.dataset.value === undefined ? cell.textContent : Number(cell.dataset.value);
    };
    headers.forEach((header, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = header.textContent;
      header.replaceChildren(button);
      button.addEventListener("click", () => {
        const down = header.getAttribute("aria-sort") !== "descending";
        headers.forEach((other) => other.removeAttribute("aria-sort"));
        header.setAttribute("aria-sort", down ? "descending" : "ascending");
        const sign = down ? -1 : 1;
        body.append(...[...body.rows].sort((a, b) => {
          const x = value(a, column), y = value(b, column);
          return x < y ? -sign : x > y ? sign : 0;
        }));
      });
    });
    const texts = new Map([...body.rows].map((row) => [row, row.textContent.toLowerCase()]));
    const matches = document.getElementById("matches");
    document.getElementById("search").addEventListener("input", (event) => {
      const words = event.target.value.toLowerCase().split(/\s+/).filter(Boolean);
      let shown = 0;
      for (const [row, text] of texts) {
        row.hidden = !words.every((word) => text.includes(word));
        shown += row.hidden ? 0 : 1;
      }
      matches.textContent = words.length > 0 ? `${shown} of ${texts.size}` : "";
    });
  }

  // On paper nothing can be opened: what a finding rests on is printed, long names are not.
  addEventListener("beforeprint", () => {
    for (const details of document.querySelectorAll("details.print")) details.open = true;
  });
  document.documentElement.dataset.ready = "1";
})();
