#include "collector/kernel_name.h"

#include <pthread.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include <llvm/Demangle/ItaniumDemangle.h>

namespace gputrace::collector {

namespace {

namespace itanium = llvm::itanium_demangle;

class NodeMemory {  // nodes own nothing, so they are freed together
 public:
  void reset() { chunks_.clear(), left_ = 0; }
  template <class Node, class... Arguments>
  Node* makeNode(Arguments&&... arguments) {
    return new (allocate(sizeof(Node))) Node(std::forward<Arguments>(arguments)...);
  }
  void* allocateNodeArray(std::size_t count) { return allocate(count * sizeof(itanium::Node*)); }

 private:
  void* allocate(std::size_t bytes) {
    bytes = (bytes + 15) & ~std::size_t{15};
    if (bytes > left_) {
      left_ = std::max<std::size_t>(bytes, 4096);
      chunks_.push_back(std::make_unique<std::byte[]>(left_));
      at_ = chunks_.back().get();
    }
    void* const result = at_;
    at_ += bytes;
    left_ -= bytes;
    return result;
  }
  std::vector<std::unique_ptr<std::byte[]>> chunks_;
  std::byte* at_ = nullptr;
  std::size_t left_ = 0;
};

// An upper bound of the bytes that a node prints. Shared nodes are measured once, which is what makes it cheap.
class PrintedSize {
 public:
  struct Size {
    std::uint64_t bytes = 0;
    std::uint64_t pack_elements = 1;  // a pack expansion prints what is below it this often
  };

  Size of(const itanium::Node* node) {
    if (node == nullptr) return {};
    const auto [known, is_new] = known_.try_emplace(node, Size{});
    if (!is_new) return known->second;  // {} while it is measured: a cycle, which prints as nothing
    Size size{kPunctuation, 1};
    node->visit([&]<class Concrete>(const Concrete* concrete) {
      if constexpr (std::is_same_v<Concrete, itanium::ForwardTemplateReference>) {
        add(size, concrete->Ref);
      } else {
        concrete->match([&](auto&&... parts) { (add(size, parts), ...); });
      }
    });
    if (node->getKind() == itanium::Node::KParameterPackExpansion)
      size = {saturated(size.bytes, size.pack_elements), 1};
    known_[node] = size;
    return size;
  }

 private:
  static constexpr std::uint64_t kPunctuation = 12;  // brackets, spaces, keywords of one node
  static constexpr std::uint64_t kLimit = std::uint64_t{1} << 40;

  static std::uint64_t saturated(std::uint64_t bytes, std::uint64_t times) {
    return bytes > kLimit / std::max<std::uint64_t>(times, 1) ? kLimit : bytes * times;
  }
  void add(Size& size, const itanium::Node* node) {
    const Size part = of(node);
    size.bytes = std::min(kLimit, size.bytes + part.bytes);
    size.pack_elements = std::max(size.pack_elements, part.pack_elements);
  }
  void add(Size& size, itanium::NodeArray nodes) {
    for (const itanium::Node* node : nodes) add(size, node);
    size.pack_elements = std::max<std::uint64_t>(size.pack_elements, nodes.size());
  }
  void add(Size& size, itanium::StringView text) { size.bytes += text.size(); }
  template <class Plain>
  void add(Size& size, const Plain&) requires(std::is_arithmetic_v<Plain> || std::is_enum_v<Plain>) {
    size.bytes += 20;
  }

  std::unordered_map<const itanium::Node*, Size> known_;
};

std::string print(const itanium::Node* node) {
  itanium::OutputBuffer out;
  node->print(out);
  std::string text(out.getBuffer() != nullptr ? out.getBuffer() : "", out.getCurrentPosition());
  std::free(out.getBuffer());
  return text;
}

// "EigenMetaKernel" of "void Eigen::internal::EigenMetaKernel<...>(...)".
std::string base_name(const itanium::Node* node) {
  if (node->getKind() == itanium::Node::KFunctionEncoding)
    node = static_cast<const itanium::FunctionEncoding*>(node)->getName();
  const itanium::StringView base = node->getBaseName();
  return {base.begin(), base.size()};
}

// The parser and the printer recurse as deep as the name nests, which is at most once a character.
constexpr std::size_t kOwnStackBytes = 1024;           // names up to here fit on any thread's stack
constexpr std::size_t kDeepStackBytes = 256 << 20;     // for kMaxMangledBytes; touched only as far as used

KernelName demangle(const std::string& mangled) {
  itanium::ManglingParser<NodeMemory> parser(mangled.data(), mangled.data() + mangled.size());
  const itanium::Node* root = parser.parse();
  if (root == nullptr) return {mangled, mangled};
  KernelName name{mangled, base_name(root)};
  if (name.base.empty()) name.base = mangled;
  if (PrintedSize{}.of(root).bytes <= kMaxDemangledBytes) name.demangled = print(root);
  return name;
}

// The mangled name where no such thread can be had.
KernelName demangle_on_deep_stack(const std::string& mangled) {
  struct Job {
    const std::string& mangled;
    KernelName name;
  } job{mangled, {mangled, mangled}};
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return job.name;
  pthread_attr_setstacksize(&attributes, kDeepStackBytes);
  const auto body = [](void* argument) -> void* {
    auto& its_job = *static_cast<Job*>(argument);
    its_job.name = demangle(its_job.mangled);
    return nullptr;
  };
  pthread_t thread;
  if (pthread_create(&thread, &attributes, body, &job) == 0) pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  return job.name;
}

}  // namespace

KernelName readable_name(const std::string& mangled) {
  if (mangled.size() > kMaxMangledBytes || !mangled.starts_with("_Z")) return {mangled, mangled};
  return mangled.size() <= kOwnStackBytes ? demangle(mangled) : demangle_on_deep_stack(mangled);
}

}  // namespace gputrace::collector
