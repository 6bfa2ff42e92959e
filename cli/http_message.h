// As much of HTTP/1.1 as it takes to give out a page: requests without a body, one per connection.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace penumbra::cli {

constexpr size_t kMostRequestBytes = 8192;

struct HttpRequest {
  std::string method, path;  // the path without what follows a '?'
  std::string host;          // without the port
  std::string known_tag;     // of If-None-Match
};

struct HttpAnswer {
  int status = 200;
  const char* type = "text/plain; charset=utf-8";
  std::shared_ptr<const std::string> body;  // shared by all who are given it
  std::string tag{};                        // names this state of the body; empty: none
};

HttpAnswer words_answer(int status, std::string words);

// Whether the head of a request is whole: it ends with an empty line.
bool is_whole(std::string_view request);
// Of a whole one; nothing: it is no request of HTTP/1.
std::optional<HttpRequest> parse_request(std::string_view request);
// Status line and headers. The connection ends with the answer.
std::string head_of(const HttpAnswer& answer);

}  // namespace penumbra::cli
