// A small server of HTTP for this machine alone: 127.0.0.1, one thread, and bounds on everything
// that a client decides (connections, bytes of a request, time). It opens no files: what it gives
// out is what `answer` says.
#pragma once

#include <chrono>
#include <functional>
#include <vector>

#include "cli/http_message.h"
#include "penumbra/base/stop.h"

namespace penumbra::cli {

class PageServer {
 public:
  using Answer = std::function<HttpAnswer(const HttpRequest&)>;

  // Port 0: any that is free. Throws Error where it is taken.
  explicit PageServer(int port);
  ~PageServer();
  PageServer(const PageServer&) = delete;
  PageServer& operator=(const PageServer&) = delete;

  int port() const { return port_; }
  // Answers until `stop`, which is asked four times a second at least.
  void run(const Answer& answer, const Stop& stop);

 private:
  using Clock = std::chrono::steady_clock;
  struct Connection {
    enum class Doing { kReading, kWriting, kDraining } doing = Doing::kReading;
    int socket;
    Clock::time_point until;
    std::string in{}, head{};
    std::shared_ptr<const std::string> body{};
    size_t sent = 0;
  };

  void take_in();
  // False: the connection is over.
  bool serve(Connection& c, const Answer& answer);
  bool read_request(Connection& c, const Answer& answer);
  bool write_answer(Connection& c);

  int socket_ = -1, port_ = 0;
  std::vector<Connection> connections_;
};

}  // namespace penumbra::cli
