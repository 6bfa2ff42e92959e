#include "cli/page_server.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "penumbra/base/error.h"

namespace penumbra::cli {
namespace {

constexpr size_t kMostConnections = 32;
constexpr int kAskEvery = 250;  // milliseconds
// For a whole request, for taking the answer, and for what is still sent after it.
constexpr std::chrono::seconds kForRequest{5}, kForAnswer{60}, kForRest{1};

bool allowed_host(const std::string& host) {
  // A page of another host must not read this one by a name that leads here.
  return host == "127.0.0.1" || host == "localhost";
}

HttpAnswer checked_answer(const std::string& text, const PageServer::Answer& answer,
                          bool& without_body) {
  const std::optional<HttpRequest> request = parse_request(text);
  if (!request) return words_answer(400, "this is no request that a browser would make");
  if (!allowed_host(request->host))
    return words_answer(403, "only 127.0.0.1 and localhost are served");
  if (request->method != "GET" && request->method != "HEAD")
    return words_answer(405, "there is only GET and HEAD");
  without_body = request->method == "HEAD";
  return answer(*request);
}

}  // namespace

PageServer::PageServer(int port) {
  socket_ = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  const int yes = 1;
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<uint16_t>(port));
  socklen_t size = sizeof address;
  auto* const plain = reinterpret_cast<sockaddr*>(&address);
  if (socket_ < 0 || ::setsockopt(socket_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) != 0 ||
      ::bind(socket_, plain, size) != 0 || ::listen(socket_, 16) != 0 ||
      ::getsockname(socket_, plain, &size) != 0) {
    const std::string why = std::strerror(errno);
    if (socket_ >= 0) ::close(socket_);
    throw Error(
        fmt::format("cannot serve on port {}: {}; --serve 0 takes one that is free", port, why));
  }
  port_ = ntohs(address.sin_port);
}

PageServer::~PageServer() {
  for (const Connection& c : connections_) ::close(c.socket);
  ::close(socket_);
}

void PageServer::run(const Answer& answer, const Stop& stop) {
  std::vector<pollfd> ready;
  while (!asked_to_stop(stop)) {
    ready.clear();
    for (const Connection& c : connections_)
      ready.push_back(
          {c.socket, short(c.doing == Connection::Doing::kWriting ? POLLOUT : POLLIN), 0});
    // Who comes when all places are taken waits outside.
    if (connections_.size() < kMostConnections) ready.push_back({socket_, POLLIN, 0});
    if (::poll(ready.data(), ready.size(), kAskEvery) < 0 && errno != EINTR)
      throw Error(fmt::format("cannot serve any more: {}", std::strerror(errno)));
    const size_t known = connections_.size();
    const auto now = Clock::now();
    for (size_t i = 0; i < known; ++i) {
      Connection& c = connections_[i];
      const bool goes_on = ready[i].revents != 0 ? serve(c, answer) : now < c.until;
      if (goes_on) continue;
      ::close(c.socket);
      c.socket = -1;
    }
    if (ready.size() > known && ready[known].revents != 0) take_in();
    std::erase_if(connections_, [](const Connection& c) { return c.socket < 0; });
  }
}

void PageServer::take_in() {
  const int socket = ::accept4(socket_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (socket >= 0) connections_.push_back({.socket = socket, .until = Clock::now() + kForRequest});
}

bool PageServer::serve(Connection& c, const Answer& answer) {
  if (c.doing == Connection::Doing::kReading) return read_request(c, answer);
  if (c.doing == Connection::Doing::kWriting) return write_answer(c);
  char rest[4096];
  const ssize_t n = ::recv(c.socket, rest, sizeof rest, 0);
  return (n > 0 || (n < 0 && errno == EAGAIN)) && Clock::now() < c.until;
}

bool PageServer::read_request(Connection& c, const Answer& answer) {
  char block[2048];
  const ssize_t n = ::recv(c.socket, block, sizeof block, 0);
  if (n < 0) return errno == EAGAIN || errno == EINTR;
  if (n == 0 || Clock::now() >= c.until) return false;
  c.in.append(block, static_cast<size_t>(n));
  const bool too_long = c.in.size() > kMostRequestBytes;
  if (!too_long && !is_whole(c.in)) return true;
  bool without_body = false;
  HttpAnswer found = too_long ? words_answer(431, "the request is too long")
                              : checked_answer(c.in, answer, without_body);
  c.head = head_of(found);
  if (!without_body) c.body = std::move(found.body);
  c.in = std::string();
  c.doing = Connection::Doing::kWriting;
  c.until = Clock::now() + kForAnswer;
  return write_answer(c);
}

bool PageServer::write_answer(Connection& c) {
  const size_t body = c.body ? c.body->size() : 0;
  while (c.sent < c.head.size() + body) {
    const bool in_head = c.sent < c.head.size();
    const std::string& part = in_head ? c.head : *c.body;
    const size_t at = in_head ? c.sent : c.sent - c.head.size();
    const ssize_t n = ::send(c.socket, part.data() + at, part.size() - at, MSG_NOSIGNAL);
    if (n < 0) return errno == EAGAIN || errno == EINTR;
    if (Clock::now() >= c.until) return false;
    c.sent += static_cast<size_t>(n);
  }
  // Closed with something unread, it would be reset before the client has read its answer.
  ::shutdown(c.socket, SHUT_WR);
  c.doing = Connection::Doing::kDraining;
  c.until = Clock::now() + kForRest;
  return true;
}

}  // namespace penumbra::cli
