// Text of demanglers: libiberty ("float const*", "4", "4ul"), EDG old ("int=4") and new ("(int)4"), Windows
// ("__int64"). It reads what it can, steps over what it cannot, one pass, and recurses only into brackets.
#include <algorithm>

#include "analyzer/name_parsers.h"

namespace gputrace::analyzer {
namespace {

// A pair of brackets adds up to three levels of nodes: template, const, pointer. Deeper ones are stepped
// over.
constexpr int kMaxBrackets = kMaxNesting / 3;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool starts_identifier(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool in_identifier(char c) { return starts_identifier(c) || is_digit(c); }

bool is_builtin_word(std::string_view word) {
  static constexpr std::string_view kWords[] = {"void",    "bool",     "char",   "short",    "int",
                                                "long",    "float",    "double", "unsigned", "signed",
                                                "__int64", "__int128", "half",   "__half",   "wchar_t"};
  return std::find(std::begin(kWords), std::end(kWords), word) != std::end(kWords);
}

class DemangledNameParser {
 public:
  DemangledNameParser(std::string_view text, NameGraph& graph) : text_(text), graph_(graph) {}

  ParseOutcome parse() {
    const NodeId root = sequence(Level::kName);
    return {.root = root, .complete = complete_ && pos_ >= text_.size()};
  }

 private:
  enum class Level { kName, kTemplateArguments, kParentheses };

  // What has been read of the current piece.
  struct Piece {
    NodeId node = kNoNode;   // the last complete type or name
    NodeId scope = kNoNode;  // set after "::"
    bool is_const = false;
    std::size_t word_begin = 0;  // of a builtin type of several words
  };

  char peek(std::size_t ahead = 0) const { return pos_ + ahead < text_.size() ? text_[pos_ + ahead] : '\0'; }
  bool take(std::string_view s) {
    if (text_.substr(pos_, s.size()) != s) return false;
    pos_ += s.size();
    return true;
  }

  NodeId add(NameNode node, std::span<const NodeId> children = {}) {
    const NodeId id = graph_.add(node, children);
    if (id == kNoNode) complete_ = false;
    return id;
  }

  bool at_end_of(Level level) const {
    const char c = peek();
    if (level == Level::kTemplateArguments) return c == ',' || c == '>';
    return level == Level::kParentheses && (c == ',' || c == ')');
  }

  // One type, literal or function name: up to a comma or the closing bracket.
  NodeId sequence(Level level) {
    Piece piece;
    while (pos_ < text_.size() && !at_end_of(level)) {
      if (!step(piece, level)) break;
    }
    if (piece.is_const && piece.node != kNoNode) {
      const NodeId children[] = {piece.node};
      const NodeId id = add({.text = "const", .kind = NodeKind::kQualified}, children);
      if (id != kNoNode) return id;
    }
    return piece.node;
  }

  // false: the name is over (what follows is a remark of the profiler).
  bool step(Piece& piece, Level level) {
    const char c = peek();
    if (starts_identifier(c) || c == '~') {
      word(piece);
    } else if (is_digit(c) || (c == '-' && is_digit(peek(1)))) {
      number(piece);
    } else if (take("::")) {
      piece.scope = piece.node;
    } else if (c == '<') {
      angle(piece);
    } else if (c == '(') {
      return parentheses(piece, level);
    } else if (c == '*' || c == '&') {
      indirection(piece);
    } else if (c == '=' && piece.node != kNoNode) {
      ++pos_;
      number(piece);
    } else if (c == '{' || c == '[') {
      bracketed(piece, c == '{' ? '}' : ']');
    } else if (c == '\'') {
      quoted_lambda(piece);
    } else if (c == '`') {
      backquoted(piece);
    } else if (c == '.' && level == Level::kName) {
      complete_ = complete_ && !text_.substr(pos_).starts_with("...");
      pos_ = text_.size();
      return false;
    } else {
      if (c == '.') complete_ = false;
      ++pos_;
    }
    return true;
  }

  void set(Piece& piece, NodeId node) {
    piece.node = node;
    piece.scope = kNoNode;
  }

  void word(Piece& piece) {
    const std::size_t begin = pos_;
    if (peek() == '~') ++pos_;
    while (in_identifier(peek())) ++pos_;
    const std::string_view text = text_.substr(begin, pos_ - begin);
    if (piece.scope == kNoNode) {
      if (text == "const" || text == "volatile") {
        piece.is_const |= text == "const";
        return;
      }
      if (text == "true" || text == "false") return value(piece, text);
      if (is_builtin_word(text)) return builtin(piece, begin);
    }
    if (text == "operator") return operator_name(piece);
    const bool is_anonymous = text.starts_with("_GLOBAL__N_");
    set(piece, add({.text = text,
                    .scope = piece.scope,
                    .kind = is_anonymous ? NodeKind::kAnonymousNamespace : NodeKind::kIdentifier}));
  }

  // "unsigned long long": the words so far are one type.
  void builtin(Piece& piece, std::size_t begin) {
    const bool continues =
        piece.node != kNoNode && graph_[piece.node].kind == NodeKind::kBuiltin &&
        text_.find_first_not_of(' ', piece.word_begin + graph_[piece.node].text.size()) == begin;
    if (continues) {
      graph_.edit(piece.node).text = text_.substr(piece.word_begin, pos_ - piece.word_begin);
      return;
    }
    piece.word_begin = begin;
    set(piece, add({.text = text_.substr(begin, pos_ - begin), .kind = NodeKind::kBuiltin}));
  }

  void operator_name(Piece& piece) {
    while (peek() == ' ') ++pos_;
    std::size_t begin = pos_;
    if (take("()") || take("[]")) {
    } else if (starts_identifier(peek())) {  // a conversion, new or delete
      while (in_identifier(peek()) || peek() == ':') ++pos_;
    } else {
      while (std::string_view("+-*/%^&|~!=<>,").find(peek()) != std::string_view::npos && pos_ < text_.size())
        ++pos_;
    }
    set(piece,
        add({.text = text_.substr(begin, pos_ - begin), .scope = piece.scope, .kind = NodeKind::kOperator}));
  }

  // A literal; the type read before it ("int=4", "(int)4") is its child.
  void value(Piece& piece, std::string_view text) {
    const NodeId type[] = {piece.node};
    const std::span<const NodeId> children(type, piece.node == kNoNode ? 0 : 1);
    set(piece, add({.text = text, .kind = NodeKind::kLiteral}, children));
  }

  void number(Piece& piece) {
    while (peek() == ' ') ++pos_;
    const std::size_t begin = pos_;
    if (peek() == '-') ++pos_;
    while (is_digit(peek())) ++pos_;
    const std::size_t end = pos_;
    while (in_identifier(peek()) || (peek() == '.' && is_digit(peek(1)))) ++pos_;  // "ul", "f", "e5"
    value(piece, text_.substr(begin, end - begin));
  }

  void angle(Piece& piece) {
    if (take("<unnamed>")) {
      return set(piece,
                 add({.text = "<unnamed>", .scope = piece.scope, .kind = NodeKind::kAnonymousNamespace}));
    }
    if (piece.node == kNoNode || nesting_ >= kMaxBrackets) return skip_balanced('<', '>');
    ++pos_;
    const std::size_t mark = stack_.size();
    stack_.push_back(piece.node);
    list(Level::kTemplateArguments, '>');
    const NodeId id = add({.kind = NodeKind::kTemplate}, std::span<const NodeId>(stack_).subspan(mark));
    stack_.resize(mark);
    if (id != kNoNode) piece.node = id;
  }

  void list(Level level, char close) {
    ++nesting_;
    while (pos_ < text_.size() && peek() != close) {
      if (peek() == ',') ++pos_;
      if (peek() == close) break;
      if (const NodeId id = sequence(level); id != kNoNode) stack_.push_back(id);
    }
    --nesting_;
    if (pos_ < text_.size()) {
      ++pos_;
    } else {
      complete_ = false;
    }
  }

  bool parentheses(Piece& piece, Level level) {
    if (take("(anonymous namespace)")) {
      set(piece, add({.text = "", .scope = piece.scope, .kind = NodeKind::kAnonymousNamespace}));
      return true;
    }
    if (nesting_ >= kMaxBrackets) {
      skip_balanced('(', ')');
      return true;
    }
    ++pos_;
    if (piece.node == kNoNode) {  // a cast before a literal, or an expression in parentheses
      const std::size_t mark = stack_.size();
      list(Level::kParentheses, ')');
      if (stack_.size() > mark) piece.node = stack_[mark];
      stack_.resize(mark);
      return true;
    }
    return function(piece, level);
  }

  bool function(Piece& piece, Level level) {
    const std::size_t mark = stack_.size();
    stack_.push_back(piece.node);
    stack_.push_back(kNoNode);
    list(Level::kParentheses, ')');
    const std::size_t after = pos_;
    const bool is_const = take(" const");
    const bool is_scope = text_.substr(pos_, 2) == "::";
    if (!is_scope && level == Level::kName) {
      // The kernel's own parameters end its name; "[clone ...]" and the like may follow.
      pos_ = text_.size();
    } else if (!is_scope) {
      pos_ = after;
    }
    const NodeId id = add({.kind = NodeKind::kFunction, .is_const = is_const},
                          std::span<const NodeId>(stack_).subspan(mark));
    stack_.resize(mark);
    if (id != kNoNode) piece.node = id;
    return is_scope || level != Level::kName;
  }

  void indirection(Piece& piece) {
    const std::size_t begin = pos_;
    while (peek() == '*' || peek() == '&') ++pos_;
    if (piece.node == kNoNode) return;  // an address or a dereference before a name
    const NodeId children[] = {piece.node};
    const NodeId id = add({.text = text_.substr(begin, pos_ - begin), .kind = NodeKind::kPointer}, children);
    if (id != kNoNode) piece.node = id;
  }

  // "{lambda(int)#1}", "[lambda(int) (instance 1)]", "[8]", "[clone .kd]", "{unnamed type#1}".
  void bracketed(Piece& piece, char close) {
    const std::size_t begin = pos_;
    skip_balanced(text_[begin], close);
    const std::string_view text = text_.substr(begin, pos_ - begin);
    if (text.substr(1).starts_with("lambda")) {
      set(piece, add({.text = text, .scope = piece.scope, .kind = NodeKind::kLambda}));
    } else if (text.substr(1).starts_with("unnamed")) {
      set(piece, add({.text = text, .scope = piece.scope, .kind = NodeKind::kUnnamedType}));
    }
  }

  // LLVM writes 'lambda0'(int) and 'unnamed'.
  void quoted_lambda(Piece& piece) {
    const std::size_t begin = pos_;
    const std::size_t end = text_.find('\'', pos_ + 1);
    pos_ = end == std::string_view::npos ? text_.size() : end + 1;
    const std::string_view text = text_.substr(begin, pos_ - begin);
    if (peek() == '(') skip_balanced('(', ')');
    set(piece, add({.text = text, .scope = piece.scope, .kind = NodeKind::kLambda}));
  }

  // Microsoft's compiler writes `anonymous namespace'.
  void backquoted(Piece& piece) {
    if (!take("`anonymous namespace'") && !take("`anonymous-namespace'")) {
      ++pos_;
      return;
    }
    set(piece, add({.text = "", .scope = piece.scope, .kind = NodeKind::kAnonymousNamespace}));
  }

  void skip_balanced(char open, char close) {
    if (nesting_ >= kMaxBrackets) complete_ = false;
    int depth = 0;
    while (pos_ < text_.size()) {
      const char c = text_[pos_++];
      depth += c == open ? 1 : c == close ? -1 : 0;
      if (depth == 0) return;
    }
    complete_ = false;
  }

  std::string_view text_;
  NameGraph& graph_;
  std::size_t pos_ = 0;
  int nesting_ = 0;
  bool complete_ = true;
  std::vector<NodeId> stack_;
};

}  // namespace

ParseOutcome parse_demangled(std::string_view text, NameGraph& graph) {
  return DemangledNameParser(text, graph).parse();
}

}  // namespace gputrace::analyzer
