#include "tests/reports/json_schema_check.h"

#include <algorithm>
#include <set>

#include <nlohmann/json.hpp>

namespace gputrace::tests {
namespace {

using Json = nlohmann::json;

std::string check(const Json& root, const Json& schema, const Json& value, const std::string& place);

bool is_type(const Json& value, const std::string& type) {
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "string") return value.is_string();
  if (type == "boolean") return value.is_boolean();
  if (type == "integer") return value.is_number_integer();
  if (type == "number") return value.is_number();
  return type == "null" && value.is_null();
}

std::string check_type(const Json& types, const Json& value, const std::string& place) {
  if (types.is_string()) return is_type(value, types) ? "" : place + ": not of type " + types.dump();
  const bool any = std::any_of(types.begin(), types.end(), [&](const Json& type) { return is_type(value, type); });
  return any ? "" : place + ": not of type " + types.dump();
}

std::string check_object(const Json& root, const Json& schema, const Json& value, const std::string& place) {
  if (!value.is_object()) return "";
  for (const auto& key : schema.value("required", Json::array())) {
    if (!value.contains(key)) return place + ": no " + key.dump();
  }
  const Json properties = schema.value("properties", Json::object());
  for (const auto& [key, member] : value.items()) {
    const Json& rule = properties.contains(key) ? properties[key] : schema.value("additionalProperties", Json(true));
    if (rule == Json(false)) return place + ": unexpected key " + key;
    if (!rule.is_object()) continue;
    if (auto wrong = check(root, rule, member, place + "/" + key); !wrong.empty()) return wrong;
  }
  return "";
}

std::string check_array(const Json& root, const Json& schema, const Json& value, const std::string& place) {
  if (!value.is_array() || !schema.contains("items")) return "";
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (auto wrong = check(root, schema["items"], value[i], place + "/" + std::to_string(i)); !wrong.empty()) return wrong;
  }
  return "";
}

std::string check_value(const Json& schema, const Json& value, const std::string& place) {
  if (schema.contains("const") && value != schema["const"]) return place + ": not " + schema["const"].dump();
  if (schema.contains("enum") && std::find(schema["enum"].begin(), schema["enum"].end(), value) == schema["enum"].end()) {
    return place + ": " + value.dump() + " is none of " + schema["enum"].dump();
  }
  if (value.is_number() && schema.contains("minimum") && value < schema["minimum"]) return place + ": below the minimum";
  if (value.is_number() && schema.contains("maximum") && value > schema["maximum"]) return place + ": above the maximum";
  return "";
}

std::string check(const Json& root, const Json& schema, const Json& value, const std::string& place) {
  static const std::set<std::string> kKnown{"$schema", "$id", "$defs", "$ref", "title", "description", "type", "const",
                                            "enum", "minimum", "maximum", "required", "properties",
                                            "additionalProperties", "items"};
  for (const auto& [keyword, rule] : schema.items()) {
    if (kKnown.count(keyword) == 0) return "the schema uses \"" + keyword + "\", which this check does not know";
  }
  if (schema.contains("$ref")) {
    const std::string pointer = schema["$ref"].get<std::string>().substr(1);
    return check(root, root.at(Json::json_pointer(pointer)), value, place);
  }
  std::string wrong = schema.contains("type") ? check_type(schema["type"], value, place) : "";
  if (wrong.empty()) wrong = check_value(schema, value, place);
  if (wrong.empty()) wrong = check_object(root, schema, value, place);
  if (wrong.empty()) wrong = check_array(root, schema, value, place);
  return wrong;
}

}  // namespace

std::string schema_violation(const std::string& schema_text, const std::string& json_text) {
  const Json schema = Json::parse(schema_text, nullptr, false);
  const Json value = Json::parse(json_text, nullptr, false);
  if (schema.is_discarded()) return "the schema is no JSON";
  if (value.is_discarded()) return "no JSON";
  return check(schema, schema, value, "");
}

}  // namespace gputrace::tests
