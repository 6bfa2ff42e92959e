// penumbra report --serve, as browsers and others meet it.
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <filesystem>
#include <memory>
#include <thread>

#include "tests/cli/program.h"
#include "tests/cli/started.h"

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

namespace {

class Client {
 public:
  explicit Client(int port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<uint16_t>(port));
    if (::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0)
      ADD_FAILURE() << "cannot connect";
  }
  Client(const Client&) = delete;
  ~Client() { ::close(socket_); }

  void send(const std::string& text) { ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL); }
  // All until the server ends the connection.
  std::string answer() {
    std::string all;
    char block[65536];
    for (ssize_t n; (n = ::recv(socket_, block, sizeof block, 0)) > 0;)
      all.append(block, static_cast<size_t>(n));
    return all;
  }

 private:
  int socket_;
};

// One run, served.
class Serve : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(
        run("solve tiger --solver sarsop --backups 40 --episodes 100 --quiet --run " + f_.at("a"))
            .code,
        0);
    server_ = std::make_unique<Started>(std::vector<std::string>{
        "report", f_.at("a"), "--serve", "0", "--json", "--episodes", "1", "--visits", "100"});
    ASSERT_TRUE(server_->wait_for("}\n")) << server_->said;
    const std::string address = json::parse(server_->said).at("address");
    EXPECT_THAT(address, StartsWith("http://127.0.0.1:"));
    port_ = std::stoi(address.substr(address.rfind(':') + 1));
  }

  std::string ask(const std::string& request) const {
    Client client(port_);
    client.send(request);
    return client.answer();
  }
  std::string get(const std::string& path, const std::string& headers = "") const {
    return ask("GET " + path + " HTTP/1.1\r\nHost: localhost:1\r\n" + headers + "\r\n");
  }
  static std::string body(const std::string& answer) {
    return answer.substr(answer.find("\r\n\r\n") + 4);
  }
  static std::string tag(const std::string& answer) {
    const size_t at = answer.find("ETag: ") + 6;
    return answer.substr(at, answer.find('\r', at) - at);
  }

  Folder f_;
  std::unique_ptr<Started> server_;
  int port_ = 0;
};

}  // namespace

TEST_F(Serve, GivesThePageAndItsData) {
  const std::string page = get("/");
  EXPECT_THAT(page, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(page, HasSubstr("<!doctype html>"));
  EXPECT_THAT(page, HasSubstr("fetch('data.json'"));
  const std::string data = get("/data.json");
  EXPECT_EQ(json::parse(body(data)).at("runs").at(0).at("solver"), "sarsop");
  const std::string again = get("/data.json", "If-None-Match: " + tag(data) + "\r\n");
  EXPECT_THAT(again, StartsWith("HTTP/1.1 304 "));
  EXPECT_EQ(body(again), "");
  EXPECT_EQ(body(ask("HEAD / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")), "");
}

TEST_F(Serve, GivesNothingElse) {
  for (const char* path : {"/config.toml", "/../../../../etc/passwd", "/%2e%2e/etc/passwd", "//",
                           "/data.json/", "/log.jsonl", "/index.html"})
    EXPECT_THAT(get(path), StartsWith("HTTP/1.1 404 ")) << path;
  EXPECT_THAT(ask("POST / HTTP/1.1\r\nHost: localhost\r\n\r\nx"), StartsWith("HTTP/1.1 405 "));
  EXPECT_THAT(ask("GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n"), StartsWith("HTTP/1.1 403 "));
  EXPECT_THAT(ask("GET / HTTP/1.1\r\n\r\n"), StartsWith("HTTP/1.1 403 "));
  for (const std::string& garbage :
       {std::string("\n\n"), std::string("\x16\x03\x01\x00\xff\n\n", 7),
        std::string("GET / HTTP/9\r\n\r\n"), std::string(100, '\0') + "\n\n"})
    EXPECT_THAT(ask(garbage), StartsWith("HTTP/1.1 400 "));
}

TEST_F(Serve, IsNotKeptByTheSlowAndTheGreedy) {
  const auto memory = [&] {
    const std::string status = text_of("/proc/" + std::to_string(server_->pid) + "/status");
    return std::stol(status.substr(status.find("VmRSS:") + 6));  // kB
  };
  get("/");
  const long before = memory();
  std::vector<std::unique_ptr<Client>> slow;
  for (int i = 0; i < 40; ++i) {  // more than there are places
    slow.push_back(std::make_unique<Client>(port_));
    slow.back()->send("GET / HTTP");
  }
  EXPECT_THAT(get("/"), StartsWith("HTTP/1.1 200 "));
  for (int i = 0; i < 100; ++i)
    EXPECT_THAT(ask(std::string(20'000, 'x')), StartsWith("HTTP/1.1 431 "));
  EXPECT_EQ(slow[0]->answer(), "");  // it was given up
  EXPECT_LT(memory(), before + 20'000);
}

TEST_F(Serve, IsMadeAnewWhenTheRunGoesOn) {
  const std::string before = get("/data.json");
  std::ofstream(f_.at("a/log.jsonl"), std::ios::app)
      << R"({"v":1,"event":"progress","seconds":9999,"backups":99999999,"lower":19.3})"
      << "\n";
  std::string after = before;
  for (int i = 0; i < 300 && tag(after) == tag(before); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    after = get("/data.json");
  }
  EXPECT_EQ(json::parse(body(after)).at("runs").at(0).at("progress").at("seconds").back(), 9999);
}

TEST_F(Serve, EndsWithCtrlC) {
  kill(server_->pid, SIGINT);
  EXPECT_EQ(server_->end(), 0);
}

TEST_F(Serve, SaysThatAPortIsTaken) {
  const Said said = run("report " + f_.at("a") + " --serve " + std::to_string(port_));
  EXPECT_EQ(said.code, 1);
  EXPECT_THAT(said.err, HasSubstr("cannot serve on port"));
}

TEST(Report, IsEitherWrittenOrServed) {
  const Folder f;
  EXPECT_THAT(run("report " + f.path).err, HasSubstr("name the page with -o"));
  EXPECT_THAT(run("report " + f.path + " --serve x").err, HasSubstr("takes a port"));
  EXPECT_THAT(run("report " + f.path + " --serve 70000").err, HasSubstr("takes a port"));
  EXPECT_THAT(run("report " + f.path + " --serve -o x").err, HasSubstr("either written"));
  EXPECT_THAT(run("report --serve " + f.path).err, HasSubstr("there is no run in"));
  EXPECT_THAT(run("report --serve " + f.path + " --steps 9").err, HasSubstr("there is no run in"));
  EXPECT_THAT(run("report --serve").err, HasSubstr("name the folder of a run"));
}
