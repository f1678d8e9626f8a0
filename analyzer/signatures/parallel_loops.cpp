// Loops that a library or compiler turns into kernels: Kokkos, RAJA, QUDA and the like run a lambda or
// functor, OpenMP and OpenACC compilers outline a loop, Julia broadcasts a function. The name of the work is
// the function around the lambda; what it computes is not in it, so the class is "other" but for reductions.
#include <algorithm>

#include "analyzer/name_words.h"
#include "analyzer/signature_family.h"

namespace gputrace::analyzer {
namespace {

using namespace op_class;

struct Launcher {
  std::string_view name;  // of the kernel
  const char* library;    // "" for the outermost namespace
  const char* operation;
  const char* op_class;
};

constexpr Launcher kLaunchers[] = {
    {"par_ranged", "", "loop", kOther},
    {"par_reduce", "", "reduction", kReduction},
    {"cuda_parallel_launch", "kokkos", "loop", kOther},
    {"hip_parallel_launch", "kokkos", "loop", kOther},
    {"forall_", "raja", "loop", kOther},
    {"Kernel1D", "quda", "loop", kOther},
    {"Kernel2D", "quda", "loop", kOther},
    {"Kernel3D", "quda", "loop", kOther},
    {"Reduction2D", "quda", "reduction", kReduction},
    {"MultiReduction", "quda", "reduction", kReduction},
};

// The innermost function that a lambda of the arguments stands in.
std::string_view function_around_lambda(const ParsedName& name) {
  const auto nodes = name.graph().nodes();
  for (NodeId id = 1; id < nodes.size(); ++id) {
    if (nodes[id].kind != NodeKind::kLambda) continue;
    NodeId scope = nodes[id].scope;
    while (scope != kNoNode && nodes[scope].kind == NodeKind::kFunction)
      scope = name.graph().children(scope)[0];
    if (const std::string_view function = name.identifier(scope); !function.empty()) return function;
  }
  return {};
}

std::string_view work_of(const ParsedName& name) {
  if (const std::string_view function = function_around_lambda(name); !function.empty()) return function;
  return name.arguments().empty() ? std::string_view() : name.identifier(name.arguments()[0]);
}

Explanation outlined(std::string_view library, std::string_view function, const char* what) {
  ExplanationParts parts{.library = std::string(library), .operation = std::string(what)};
  parts.short_form = "loop in " + std::string(function);
  parts.why = "The compiler made this kernel from a loop of the program.";
  return explanation_of(std::move(parts));
}

// "nvkernel_solve_F1L204_2": function, file and line of an OpenMP or OpenACC loop.
std::optional<Explanation> explain_outlined(const ParsedName& name) {
  std::string_view base = name.base();
  if (base.starts_with("nvkernel_")) {
    base.remove_prefix(9);
    const std::size_t place = base.rfind("_F");
    return outlined("openmp", base.substr(0, place), "loop");
  }
  if (base.starts_with("__omp_offloading_")) {  // then device, file, function, line: "_fd00_2c1_main_l42"
    base.remove_prefix(std::string_view("__omp_offloading_").size());
    base = base.substr(0, base.rfind("_l"));
    for (int number = 0; number < 2; ++number)
      base.remove_prefix(std::min(base.find('_'), base.size() - 1) + 1);
    return outlined("openmp", base, "loop");
  }
  if (contains(base, "__pgi_uacc_")) {
    base.remove_prefix(base.find("__pgi_uacc_") + std::string_view("__pgi_uacc_").size());
    if (base.ends_with("_gpu")) base.remove_suffix(4);
    return outlined("openacc", base, "loop");
  }
  return std::nullopt;
}

std::optional<Explanation> explain_loops(const ParsedName& name) {
  if (auto explanation = explain_outlined(name)) return explanation;
  const std::string_view base = name.base();
  const bool is_broadcast = base.starts_with("broadcast");  // Julia's f.(x)
  if (name.mentions("CuDeviceArray") || name.mentions("CuKernelContext")) {
    ExplanationParts parts{.library = "julia",
                           .operation = is_broadcast ? "element-wise function" : readable(base),
                           .op_class = is_broadcast ? kElementWise : kOther};
    return explanation_of(std::move(parts));
  }
  const auto* launcher = std::find_if(std::begin(kLaunchers), std::end(kLaunchers),
                                      [&](const Launcher& l) { return base.starts_with(l.name); });
  if (launcher == std::end(kLaunchers) || name.path() == base) return std::nullopt;
  const std::string scope = name.path().substr(0, name.path().find(':'));
  ExplanationParts parts{.library = launcher->library[0] != '\0' ? launcher->library : scope,
                         .operation = launcher->operation,
                         .op_class = launcher->op_class};
  const std::string_view work = work_of(name);
  if (!work.empty()) parts.operation = readable(work);
  parts.short_form = work.empty() ? parts.operation : std::string(work);
  parts.details = {launcher->op_class == kReduction ? "reduction" : "loop",
                   name.is_complete() ? "" : "the name is cut off"};
  return explanation_of(std::move(parts));
}

}  // namespace

extern constinit const SignatureFamily parallel_loops{"parallel_loops", 80, explain_loops};

}  // namespace gputrace::analyzer
