// Text of a trace for GitHub's Markdown. What a file's names hold must stay text there: no markup, no link, and no notice to a
// person or an issue that is called like a kernel.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gputrace::reports::markdown_text {

// An empty comment after the character keeps GitHub from seeing a mention, a reference or an address.
std::string prose(std::string_view text);

// A code span: its fence is longer than any run of backticks inside. In a table a pipe would end the cell.
std::string code(std::string_view text);

using Cells = std::vector<std::string>;

// The first column is a name, the others are figures.
std::string table(const Cells& headers, const std::vector<Cells>& rows);

}  // namespace gputrace::reports::markdown_text
