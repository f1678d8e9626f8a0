// Why not abi::__cxa_demangle or LLVM's demangler: the first refuses long names, both recurse as deep as the
// name says and print parts repeated by reference in full. This one keeps the references, bounds its nesting,
// and hands over what it has read where a name was cut off.
#include <algorithm>
#include <array>
#include <cctype>

#include "analyzer/name_parsers.h"

namespace gputrace::analyzer {
namespace {

struct OperatorCode {
  std::string_view code;
  std::string_view symbol;
  int operands;  // 0: a name only, no expression
};

constexpr OperatorCode kOperators[] = {
    {"nw", "new", 0}, {"na", "new[]", 0},     {"dl", "delete", 0},  {"da", "delete[]", 0},
    {"cl", "()", 0},  {"ix", "[]", 2},        {"ps", "+", 1},       {"ng", "-", 1},
    {"ad", "&", 1},   {"de", "*", 1},         {"co", "~", 1},       {"nt", "!", 1},
    {"pp", "++", 1},  {"mm", "--", 1},        {"pl", "+", 2},       {"mi", "-", 2},
    {"ml", "*", 2},   {"dv", "/", 2},         {"rm", "%", 2},       {"an", "&", 2},
    {"or", "|", 2},   {"eo", "^", 2},         {"aS", "=", 2},       {"pL", "+=", 2},
    {"mI", "-=", 2},  {"mL", "*=", 2},        {"dV", "/=", 2},      {"rM", "%=", 2},
    {"aN", "&=", 2},  {"oR", "|=", 2},        {"eO", "^=", 2},      {"ls", "<<", 2},
    {"rs", ">>", 2},  {"lS", "<<=", 2},       {"rS", ">>=", 2},     {"eq", "==", 2},
    {"ne", "!=", 2},  {"lt", "<", 2},         {"gt", ">", 2},       {"le", "<=", 2},
    {"ge", ">=", 2},  {"ss", "<=>", 2},       {"aa", "&&", 2},      {"oo", "||", 2},
    {"cm", ",", 2},   {"pm", "->*", 2},       {"pt", "->", 2},      {"dt", ".", 2},
    {"qu", "?", 3},   {"nx", "noexcept ", 1}, {"sz", "sizeof ", 1}, {"az", "alignof ", 1},
};

std::string_view builtin_type(char code) {
  switch (code) {
    case 'v':
      return "void";
    case 'w':
      return "wchar_t";
    case 'b':
      return "bool";
    case 'c':
      return "char";
    case 'a':
      return "signed char";
    case 'h':
      return "unsigned char";
    case 's':
      return "short";
    case 't':
      return "unsigned short";
    case 'i':
      return "int";
    case 'j':
      return "unsigned int";
    case 'l':
      return "long";
    case 'm':
      return "unsigned long";
    case 'x':
      return "long long";
    case 'y':
      return "unsigned long long";
    case 'n':
      return "__int128";
    case 'o':
      return "unsigned __int128";
    case 'f':
      return "float";
    case 'd':
      return "double";
    case 'e':
      return "long double";
    case 'g':
      return "__float128";
    case 'z':
      return "...";
    default:
      return {};
  }
}

// A level of recursion adds a node at most, but for the parts of a qualified name: what is too deep is given
// up inside, and the levels around it stay.
constexpr int kMaxRecursion = kMaxNesting - 100;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

class MangledNameParser {
 public:
  MangledNameParser(std::string_view text, NameGraph& graph) : text_(text), graph_(graph) {
    standard_ = add({.text = "std", .kind = NodeKind::kIdentifier});
  }

  ParseOutcome parse() {
    while (peek() == '_') ++pos_;
    if (!take('Z')) return {};
    const NodeId root = encoding();
    const bool at_end = pos_ == text_.size() || peek() == '.' || peek() == ' ' || peek() == '@';
    return {.root = root, .complete = !failed_ && at_end && root != kNoNode};
  }

 private:
  // What a function's parameters need to know of its name.
  struct NameTraits {
    bool has_return_type =
        false;  // a template's function has one in its mangling, but for constructors and conversions
    bool is_const = false;
  };

  struct Nesting {
    explicit Nesting(MangledNameParser& parser) : parser_(parser) {
      if (++parser_.nesting_ > kMaxRecursion) parser_.failed_ = true;
    }
    ~Nesting() { --parser_.nesting_; }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;
    MangledNameParser& parser_;
  };

  char peek(std::size_t ahead = 0) const { return pos_ + ahead < text_.size() ? text_[pos_ + ahead] : '\0'; }
  bool take(char c) {
    if (peek() != c) return false;
    ++pos_;
    return true;
  }
  bool take(std::string_view s) {
    if (text_.substr(pos_, s.size()) != s) return false;
    pos_ += s.size();
    return true;
  }
  NodeId fail() {
    failed_ = true;
    return kNoNode;
  }
  bool more(char end = 'E') {  // in a list closed by `end`
    if (failed_ || take(end)) return false;
    if (pos_ >= text_.size()) failed_ = true;
    return !failed_;
  }

  NodeId add(NameNode node, std::span<const NodeId> children = {}) {
    const NodeId id = graph_.add(node, children);
    return id == kNoNode ? fail() : id;
  }
  NodeId add(NameNode node, std::initializer_list<NodeId> children) {
    return add(node, std::span<const NodeId>(children.begin(), children.size()));
  }
  // Children collected on the stack since `mark`.
  NodeId add_from_stack(NameNode node, std::size_t mark) {
    const NodeId id = add(node, std::span<const NodeId>(stack_).subspan(mark));
    stack_.resize(mark);
    return id;
  }
  void push(NodeId id) {
    if (id != kNoNode) stack_.push_back(id);
  }
  NodeId remember(NodeId id) {
    if (id != kNoNode && !failed_) substitutions_.push_back(id);
    return id;
  }

  std::uint32_t number() {
    std::uint32_t value = 0;
    while (is_digit(peek())) {
      value = std::min<std::uint32_t>(value * 10 + static_cast<std::uint32_t>(text_[pos_++] - '0'), 1U << 24);
    }
    return value;
  }

  // "_" is 0, "0_" is 1, ...
  std::uint32_t index(int base) {
    if (take('_')) return 0;
    std::uint32_t value = 0;
    for (char c = peek(); is_digit(c) || (base == 36 && c >= 'A' && c <= 'Z'); c = peek()) {
      const auto digit = static_cast<std::uint32_t>(is_digit(c) ? c - '0' : c - 'A' + 10);
      value = std::min<std::uint32_t>(value * static_cast<std::uint32_t>(base) + digit, 1U << 24);
      ++pos_;
    }
    if (!take('_')) fail();
    return value + 1;
  }

  NodeId encoding() {
    const Nesting nesting(*this);
    if (failed_) return kNoNode;
    NameTraits traits;
    const NodeId function = name(&traits);
    const char next = peek();
    if (failed_ || next == '\0' || next == 'E' || next == '.' || next == ' ' || next == '@') return function;
    const std::size_t mark = stack_.size();
    stack_.push_back(function);
    stack_.push_back(traits.has_return_type ? type() : kNoNode);
    parameters();
    return add_from_stack({.kind = NodeKind::kFunction, .is_const = traits.is_const}, mark);
  }

  void parameters() {
    if (take('v')) return;
    for (char c = peek(); !failed_ && c != '\0' && c != 'E' && c != '.' && c != ' ' && c != '@'; c = peek())
      push(type());
  }

  // `enclosing`: the function a local name stands in.
  NodeId name(NameTraits* traits, NodeId enclosing = kNoNode) {
    const Nesting nesting(*this);
    if (failed_) return kNoNode;
    if (take('N')) return nested_name(traits, enclosing);
    if (take('Z')) return local_name(traits);
    if (peek() == 'S' && peek(1) != 't') {
      const NodeId known = substitution();
      if (peek() != 'I') return fail();
      return with_arguments(known, traits);
    }
    const NodeId scope = take("St") ? standard_ : enclosing;
    const NodeId plain = unqualified_name(scope, traits);
    if (peek() != 'I' || failed_) return plain;
    remember(plain);
    return with_arguments(plain, traits);
  }

  NodeId with_arguments(NodeId plain, NameTraits* traits) {
    if (traits != nullptr) traits->has_return_type = true;
    return template_arguments(plain);
  }

  NodeId nested_name(NameTraits* traits, NodeId enclosing) {
    for (char c = peek(); c == 'r' || c == 'V' || c == 'K'; c = peek()) {
      if (traits != nullptr && c == 'K') traits->is_const = true;
      ++pos_;
    }
    if (!take('R')) take('O');
    NodeId prefix = kNoNode;
    bool last_remembered = false;
    while (more()) {
      const NodeId longer = nested_part(prefix, enclosing, traits, last_remembered);
      if (longer == kNoNode) break;
      prefix = longer;
    }
    // The whole name is no prefix; whoever uses it as a type remembers it as one.
    if (!failed_ && last_remembered && !substitutions_.empty()) substitutions_.pop_back();
    return prefix;
  }

  NodeId nested_part(NodeId prefix, NodeId enclosing, NameTraits* traits, bool& remembered) {
    const Nesting nesting(*this);
    if (failed_) return kNoNode;
    remembered = true;
    if (peek() == 'I') {
      if (prefix == kNoNode) return fail();
      if (traits != nullptr) traits->has_return_type = !is_nameless_function(prefix);
      return remember(template_arguments(prefix));
    }
    if (traits != nullptr) traits->has_return_type = false;
    if (take('M')) {  // the initialiser a lambda stands in
      remembered = false;
      return prefix;
    }
    if (prefix == kNoNode && peek() == 'S') {
      remembered = false;
      return take("St") ? standard_ : substitution();
    }
    if (peek() == 'T') return remember(template_parameter());
    if (peek() == 'D' && (peek(1) == 't' || peek(1) == 'T')) return remember(decltype_type());
    return remember(unqualified_name(prefix == kNoNode ? enclosing : prefix, traits));
  }

  bool is_nameless_function(NodeId id) const {
    const NodeKind kind = graph_[id].kind;
    return kind == NodeKind::kConstructor || (kind == NodeKind::kOperator && graph_[id].edge_count > 0);
  }

  NodeId local_name(NameTraits* traits) {
    const NodeId function = encoding();
    if (!take('E')) return failed_ ? function : fail();
    if (take('s')) {  // a string literal
      discriminator();
      return add({.text = "string literal", .scope = function, .kind = NodeKind::kIdentifier});
    }
    if (take('d')) {  // in a default argument
      number();
      if (!take('_')) return fail();
    }
    const NodeId entity = name(traits, function);
    discriminator();
    return entity == kNoNode ? function : entity;
  }

  void discriminator() {
    if (peek() != '_') return;
    if (peek(1) == '_' && is_digit(peek(2))) {
      pos_ += 2;
      number();
      take('_');
    } else if (is_digit(peek(1))) {
      pos_ += 2;
    }
  }

  NodeId unqualified_name(NodeId scope, NameTraits* traits) {
    if (failed_) return kNoNode;
    take('L');  // internal linkage: GCC and clang for the host's symbol
    NodeId id = kNoNode;
    const char c = peek();
    if (is_digit(c)) {
      id = source_name(scope);
    } else if (c == 'U') {
      id = unnamed(scope);
    } else if (c == 'C' || c == 'D') {
      pos_ += 2;
      if (traits != nullptr) traits->has_return_type = false;
      id = add({.text = c == 'C' ? "" : "~", .scope = scope, .kind = NodeKind::kConstructor});
    } else {
      id = operator_name(scope);
    }
    while (!failed_ && peek() == 'B' && is_digit(peek(1))) {  // ABI tag
      ++pos_;
      source_text();
    }
    return id;
  }

  std::string_view source_text() {
    const std::size_t size = number();
    if (size == 0 || pos_ >= text_.size()) {
      fail();
      return {};
    }
    const std::string_view text = text_.substr(pos_, size);
    pos_ += text.size();
    if (text.size() < size) failed_ = true;
    return text;
  }

  NodeId source_name(NodeId scope) {
    const std::string_view text = source_text();
    if (text.empty()) return kNoNode;
    const auto kind = text.starts_with("_GLOBAL__N") ? NodeKind::kAnonymousNamespace : NodeKind::kIdentifier;
    const bool was_cut = failed_;
    const NodeId id = graph_.add({.text = text, .scope = scope, .kind = kind});
    if (id == kNoNode || was_cut) failed_ = true;
    return id;
  }

  NodeId unnamed(NodeId scope) {
    if (take("Ut")) {
      const std::uint32_t instance = index(10) + 1;
      return add({.scope = scope, .value = instance, .kind = NodeKind::kUnnamedType});
    }
    if (!take("Ul")) return fail();
    const std::size_t mark = stack_.size();
    if (!take('v')) {
      while (!failed_ && peek() != 'E' && peek() != '\0') push(type());
    }
    if (!take('E')) failed_ = true;
    const std::uint32_t instance = failed_ ? 0 : index(10) + 1;
    return add_from_stack({.scope = scope, .value = instance, .kind = NodeKind::kLambda}, mark);
  }

  const OperatorCode* operator_code() {
    const std::string_view code = text_.substr(pos_, 2);
    const auto* found = std::find_if(std::begin(kOperators), std::end(kOperators),
                                     [&](const OperatorCode& op) { return op.code == code; });
    if (found == std::end(kOperators)) return nullptr;
    pos_ += 2;
    return found;
  }

  NodeId operator_name(NodeId scope) {
    if (take("cv")) {
      const NodeId to = type();
      return add({.scope = scope, .kind = NodeKind::kOperator}, {to});
    }
    if (take("li")) return add({.text = source_text(), .scope = scope, .kind = NodeKind::kOperator});
    const OperatorCode* op = operator_code();
    if (op == nullptr) return fail();
    return add({.text = op->symbol, .scope = scope, .kind = NodeKind::kOperator});
  }

  NodeId template_arguments(NodeId of) {
    const Nesting nesting(*this);
    if (failed_ || !take('I')) return of;
    const std::size_t mark = stack_.size();
    stack_.push_back(of);
    while (more()) push(template_argument());
    const NodeId id =
        graph_.add({.kind = NodeKind::kTemplate}, std::span<const NodeId>(stack_).subspan(mark));
    stack_.resize(mark);
    if (id == kNoNode) failed_ = true;
    return id == kNoNode ? of : id;
  }

  NodeId template_argument() {
    const Nesting nesting(*this);
    if (failed_) return kNoNode;
    if (peek() == 'L') return literal();
    if (take('X')) {
      const NodeId value = expression();
      return take('E') ? value : fail();
    }
    if (take('J')) {
      const std::size_t mark = stack_.size();
      while (more()) push(template_argument());
      return add_from_stack({.kind = NodeKind::kPack}, mark);
    }
    return type();
  }

  NodeId literal() {
    if (!take('L')) return fail();
    if (take("_Z") || take('Z')) {
      const NodeId entity = encoding();
      return take('E') ? entity : fail();
    }
    const NodeId of = type();
    const std::size_t begin = pos_;
    while (!failed_ && peek() != 'E' && peek() != '\0') ++pos_;
    const std::string_view value = text_.substr(begin, pos_ - begin);
    if (!take('E')) return fail();
    return add({.text = value, .kind = NodeKind::kLiteral}, {of});
  }

  NodeId substitution() {
    if (!take('S')) return fail();
    const char c = peek();
    if (c == '_' || is_digit(c) || (c >= 'A' && c <= 'Z')) {
      const std::uint32_t n = index(36);
      return failed_ || n >= substitutions_.size() ? fail() : substitutions_[n];
    }
    const std::string_view text = c == 'a'   ? "allocator"
                                  : c == 'b' ? "basic_string"
                                  : c == 's' ? "string"
                                  : c == 'i' ? "istream"
                                  : c == 'o' ? "ostream"
                                  : c == 'd' ? "iostream"
                                             : "";
    if (text.empty()) return fail();
    ++pos_;
    return add({.text = text, .scope = standard_, .kind = NodeKind::kIdentifier});
  }

  NodeId template_parameter() {
    if (!take('T')) return fail();
    if (take('L')) {  // of an enclosing lambda
      number();
      if (!take('_')) return fail();
    }
    return add({.value = index(10), .kind = NodeKind::kParameter});
  }

  NodeId decltype_type() {
    pos_ += 2;
    const NodeId of = expression();
    if (!take('E')) return fail();
    return add({.text = "decltype", .kind = NodeKind::kExpression}, {of});
  }

  NodeId type() {
    const Nesting nesting(*this);
    if (failed_) return kNoNode;
    const char c = peek();
    if (const std::string_view builtin = builtin_type(c); !builtin.empty()) {
      ++pos_;
      return builtin_node(c, builtin);
    }
    if (c == 'S' && peek(1) != 't') {
      const NodeId known = substitution();
      return peek() == 'I' ? remember(template_arguments(known)) : known;
    }
    if (c == 'D' && !is_compound_d()) return d_type();
    return remember(compound_type(c));
  }

  // One node per builtin type and name, as they are most of what a name holds.
  NodeId builtin_node(char code, std::string_view text) {
    NodeId& id = builtins_[static_cast<std::size_t>(code - 'a')];
    if (id == kNoNode) id = add({.text = text, .kind = NodeKind::kBuiltin});
    return id;
  }

  bool is_compound_d() const {
    const char c = peek(1);
    return c == 'p' || c == 't' || c == 'T' || c == 'v' || c == 'o' || c == 'O' || c == 'w' || c == 'x';
  }

  NodeId compound_type(char c) {
    switch (c) {
      case 'r':
      case 'V':
      case 'K':
        return qualified_type();
      case 'P':
        return indirect_type("*");
      case 'R':
        return indirect_type("&");
      case 'O':
        return indirect_type("&&");
      case 'C':
        return prefixed_type("_Complex");
      case 'G':
        return prefixed_type("_Imaginary");
      case 'A':
        return array_type();
      case 'F':
        return function_type();
      case 'M':
        return member_pointer();
      case 'T':
        return parameter_type();
      case 'D':
        return compound_d_type();
      case 'u': {
        ++pos_;
        return add({.text = source_text(), .kind = NodeKind::kBuiltin});
      }
      case 'U': {
        ++pos_;
        source_text();
        return type();
      }
      default:
        return name(nullptr);
    }
  }

  NodeId qualified_type() {
    bool is_const = false, is_volatile = false;
    for (char c = peek(); c == 'r' || c == 'V' || c == 'K'; c = peek()) {
      is_const |= c == 'K';
      is_volatile |= c == 'V';
      ++pos_;
    }
    const NodeId of = type();
    if (!is_const && !is_volatile) return of;
    const char* text = is_const && is_volatile ? "const volatile" : is_const ? "const" : "volatile";
    return add({.text = text, .kind = NodeKind::kQualified}, {of});
  }

  NodeId indirect_type(std::string_view symbol) {
    ++pos_;
    const NodeId to = type();
    return add({.text = symbol, .kind = NodeKind::kPointer}, {to});
  }

  NodeId prefixed_type(std::string_view prefix) {
    ++pos_;
    const NodeId of = type();
    return add({.text = prefix, .kind = NodeKind::kQualified}, {of});
  }

  NodeId array_type() {
    ++pos_;
    const std::size_t begin = pos_;
    if (is_digit(peek())) {
      number();
    } else if (peek() != '_') {
      expression();
    }
    const std::string_view extent = text_.substr(begin, pos_ - begin);
    if (!take('_')) return fail();
    const NodeId of = type();
    return add({.text = extent, .kind = NodeKind::kArray}, {of});
  }

  NodeId function_type() {
    ++pos_;
    take('Y');
    const std::size_t mark = stack_.size();
    while (more()) {
      if ((peek() == 'R' || peek() == 'O') && peek(1) == 'E') ++pos_;
      if (peek() == 'E') continue;
      push(type());
    }
    return add_from_stack({.kind = NodeKind::kFunctionType}, mark);
  }

  NodeId member_pointer() {
    ++pos_;
    const NodeId of = type();
    const NodeId member = type();
    return add({.kind = NodeKind::kMemberPointer}, {of, member});
  }

  NodeId parameter_type() {
    const char next = peek(1);
    if (next == 's' || next == 'u' || next == 'e') {  // elaborated: struct, union, enum
      pos_ += 2;
      return name(nullptr);
    }
    const NodeId parameter = template_parameter();
    if (peek() != 'I' || failed_) return parameter;
    remember(parameter);
    return template_arguments(parameter);
  }

  NodeId d_type() {
    ++pos_;
    const char c = peek();
    ++pos_;
    if (c == 'F') {
      const std::uint32_t bits = number();
      if (take('b')) return add({.text = bits == 16 ? "__bf16" : "bfloat", .kind = NodeKind::kBuiltin});
      if (!take('_') && !take('x')) return fail();
      return add({.text = bits == 16   ? "_Float16"
                          : bits == 32 ? "_Float32"
                                       : "_Float64",
                  .kind = NodeKind::kBuiltin});
    }
    const std::string_view text = c == 'h'   ? "half"
                                  : c == 'i' ? "char32_t"
                                  : c == 's' ? "char16_t"
                                  : c == 'u' ? "char8_t"
                                  : c == 'a' ? "auto"
                                  : c == 'c' ? "decltype(auto)"
                                  : c == 'n' ? "std::nullptr_t"
                                  : c == 'd' ? "decimal64"
                                  : c == 'e' ? "decimal128"
                                  : c == 'f' ? "decimal32"
                                             : "";
    return text.empty() ? fail() : add({.text = text, .kind = NodeKind::kBuiltin});
  }

  NodeId compound_d_type() {
    switch (peek(1)) {
      case 't':
      case 'T':
        return decltype_type();
      case 'p': {
        pos_ += 2;
        const NodeId of = type();
        return add({.text = "...", .kind = NodeKind::kExpression}, {of});
      }
      case 'v': {
        pos_ += 2;
        const std::size_t begin = pos_;
        number();
        const std::string_view extent = text_.substr(begin, pos_ - begin);
        if (!take('_')) return fail();
        const NodeId of = type();
        return add({.text = extent, .kind = NodeKind::kArray}, {of});
      }
      case 'o':
      case 'x': {
        pos_ += 2;
        return type();
      }
      default:
        return fail();
    }
  }

  NodeId expression() {
    const Nesting nesting(*this);
    if (failed_) return kNoNode;
    if (peek() == 'L') return literal();
    if (peek() == 'T') return template_parameter();
    if (take("fp") || take("fL")) return function_parameter();
    if (take("sr")) return scoped_name();
    if (take("cv")) return listed_expression("cast", true, false);
    if (take("cl")) return listed_expression("()", false, true);
    if (take("tl")) return listed_expression("{}", true, true);
    if (take("il")) return listed_expression("{}", false, true);
    if (take("st")) return type_expression("sizeof ");
    if (take("at")) return type_expression("alignof ");
    if (take("sp")) return operand_expression("...", 1);
    if (take("sZ")) return operand_expression("sizeof...", 1);
    if (take("sP")) return listed_expression("sizeof...", false, true);
    if (is_digit(peek()) || take("on")) return plain_name();
    const OperatorCode* op = operator_code();
    if (op == nullptr || op->operands == 0) return fail();
    if (op->code == "pp" || op->code == "mm") take('_');
    return operand_expression(op->symbol, op->operands);
  }

  NodeId plain_name() {
    const NodeId id = unqualified_name(kNoNode, nullptr);
    return peek() == 'I' ? template_arguments(id) : id;
  }

  NodeId function_parameter() {
    while (is_digit(peek()) || peek() == 'p' || peek() == 'K') ++pos_;
    if (!take('_')) return fail();
    return add({.text = "parameter", .kind = NodeKind::kIdentifier});
  }

  NodeId scoped_name() {
    NodeId scope = take('N') ? type() : type();
    if (scope == kNoNode) return fail();
    // A chain "srN type part... E name" has its parts closed by E; the plain form has none.
    const NodeId id = unqualified_name(scope, nullptr);
    return peek() == 'I' ? template_arguments(id) : id;
  }

  NodeId type_expression(std::string_view symbol) {
    const NodeId of = type();
    return add({.text = symbol, .kind = NodeKind::kExpression}, {of});
  }

  NodeId operand_expression(std::string_view symbol, int operands) {
    const std::size_t mark = stack_.size();
    for (int i = 0; i < operands; ++i) push(expression());
    return add_from_stack({.text = symbol, .kind = NodeKind::kExpression}, mark);
  }

  // A type first where `typed`; then expressions up to E where `closed`, one (or "_ ... E") else.
  NodeId listed_expression(std::string_view symbol, bool typed, bool closed) {
    const std::size_t mark = stack_.size();
    if (typed) push(type());
    if (closed || take('_')) {
      while (more()) push(expression());
    } else {
      push(expression());
    }
    return add_from_stack({.text = symbol, .kind = NodeKind::kExpression}, mark);
  }

  std::string_view text_;
  NameGraph& graph_;
  std::size_t pos_ = 0;
  int nesting_ = 0;
  bool failed_ = false;
  NodeId standard_ = kNoNode;
  std::array<NodeId, 26> builtins_{};
  std::vector<NodeId> substitutions_;
  std::vector<NodeId> stack_;
};

}  // namespace

ParseOutcome parse_mangled(std::string_view text, NameGraph& graph) {
  return MangledNameParser(text, graph).parse();
}

}  // namespace gputrace::analyzer
