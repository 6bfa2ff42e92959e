#include "cli/http_message.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace penumbra::cli {
namespace {

const char* reason_of(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 304:
      return "Not Modified";
    case 400:
      return "Bad Request";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 431:
      return "Request Header Fields Too Large";
  }
  return "Error";
}

std::string_view trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t\r"), end = text.find_last_not_of(" \t\r");
  return begin == std::string_view::npos ? "" : text.substr(begin, end - begin + 1);
}

bool same_name(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](unsigned char x, unsigned char y) {
    return std::tolower(x) == std::tolower(y);
  });
}

// "localhost:8421" -> "localhost", "[::1]:80" -> "[::1]"
std::string_view without_port(std::string_view host) {
  const size_t colon = host.rfind(':'), bracket = host.rfind(']');
  const bool has_port =
      colon != std::string_view::npos && (bracket == std::string_view::npos || bracket < colon);
  return has_port ? host.substr(0, colon) : host;
}

bool read_request_line(std::string_view line, HttpRequest& out) {
  const size_t first = line.find(' '), last = line.rfind(' ');
  if (first == std::string_view::npos || first == last) return false;
  const std::string_view target = line.substr(first + 1, last - first - 1);
  const std::string_view version = trimmed(line.substr(last + 1));
  if (version != "HTTP/1.1" && version != "HTTP/1.0") return false;
  if (first == 0 || target.empty() || target[0] != '/') return false;
  const auto is_odd = [](unsigned char c) { return c <= ' ' || c >= 0x7F; };
  if (std::any_of(target.begin(), target.end(), is_odd)) return false;
  out.method = line.substr(0, first);
  out.path = target.substr(0, target.find('?'));
  return true;
}

}  // namespace

HttpAnswer words_answer(int status, std::string words) {
  HttpAnswer answer;
  answer.status = status;
  answer.body = std::make_shared<const std::string>(std::move(words) + "\n");
  return answer;
}

bool is_whole(std::string_view request) {
  return request.find("\r\n\r\n") != std::string_view::npos ||
         request.find("\n\n") != std::string_view::npos;
}

std::optional<HttpRequest> parse_request(std::string_view request) {
  HttpRequest out;
  for (bool first = true; !request.empty(); first = false) {
    const size_t end = std::min(request.find('\n'), request.size());
    const std::string_view line = trimmed(request.substr(0, end));
    request.remove_prefix(std::min(end + 1, request.size()));
    if (first) {
      if (!read_request_line(line, out)) return std::nullopt;
      continue;
    }
    if (line.empty()) return out;
    const size_t colon = line.find(':');
    if (colon == std::string_view::npos) return std::nullopt;
    const std::string_view name = line.substr(0, colon), value = trimmed(line.substr(colon + 1));
    if (same_name(name, "Host")) out.host = without_port(value);
    if (same_name(name, "If-None-Match")) out.known_tag = value;
  }
  return std::nullopt;
}

std::string head_of(const HttpAnswer& answer) {
  std::string head = fmt::format("HTTP/1.1 {} {}\r\n", answer.status, reason_of(answer.status));
  if (answer.body)
    head +=
        fmt::format("Content-Type: {}\r\nContent-Length: {}\r\n", answer.type, answer.body->size());
  if (!answer.tag.empty()) head += fmt::format("ETag: {}\r\n", answer.tag);
  if (answer.status == 405) head += "Allow: GET, HEAD\r\n";
  // The page is one file: it may ask this server for data, and nobody else for anything.
  return head +
         "Cache-Control: no-store\r\n"
         "X-Content-Type-Options: nosniff\r\n"
         "Referrer-Policy: no-referrer\r\n"
         "Content-Security-Policy: default-src 'none'; script-src 'unsafe-inline'; "
         "style-src 'unsafe-inline'; img-src data: blob:; connect-src 'self'; "
         "frame-ancestors 'none'\r\n"
         "Connection: close\r\n\r\n";
}

}  // namespace penumbra::cli
