#include "cli/http_message.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace penumbra::cli {

using testing::HasSubstr;
using testing::Not;

TEST(HttpMessage, ReadsWhatABrowserSends) {
  const auto request = parse_request(
      "GET /data.json?x=1 HTTP/1.1\r\nHost: localhost:8421\r\nif-none-match:  \"ab\" \r\n\r\n");
  ASSERT_TRUE(request);
  EXPECT_EQ(request->method, "GET");
  EXPECT_EQ(request->path, "/data.json");
  EXPECT_EQ(request->host, "localhost");
  EXPECT_EQ(request->known_tag, "\"ab\"");
}

TEST(HttpMessage, IsWholeWithItsEmptyLine) {
  EXPECT_FALSE(is_whole("GET / HTTP/1.1\r\nHost: x\r\n"));
  EXPECT_TRUE(is_whole("GET / HTTP/1.1\r\nHost: x\r\n\r\n"));
  EXPECT_TRUE(is_whole("GET / HTTP/1.0\n\n"));
}

TEST(HttpMessage, RefusesWhatIsNone) {
  for (const char* text :
       {"\r\n\r\n", "GET\r\n\r\n", "GET /\r\n\r\n", "GET / HTTP/2.0\r\n\r\n",
        "GET x HTTP/1.1\r\n\r\n", "GET http://a/ HTTP/1.1\r\n\r\n", " / HTTP/1.1\r\n\r\n",
        "GET /a b HTTP/1.1\r\n\r\n", "GET /\x01 HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nodd\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: x", "\x16\x03\x01\x02", ""})
    EXPECT_FALSE(parse_request(text)) << text;
}

TEST(HttpMessage, AddressesOfHostsLoseTheirPort) {
  const auto host = [](const std::string& text) {
    return parse_request("GET / HTTP/1.1\r\nHost: " + text + "\r\n\r\n")->host;
  };
  EXPECT_EQ(host("127.0.0.1:80"), "127.0.0.1");
  EXPECT_EQ(host("127.0.0.1"), "127.0.0.1");
  EXPECT_EQ(host("[::1]:80"), "[::1]");
  EXPECT_EQ(host("[::1]"), "[::1]");
}

TEST(HttpMessage, AnAnswerTellsItsLengthAndEndsTheConnection) {
  const std::string head = head_of(words_answer(404, "nothing"));
  EXPECT_THAT(head, testing::StartsWith("HTTP/1.1 404 Not Found\r\n"));
  EXPECT_THAT(head, HasSubstr("Content-Length: 8\r\n"));
  EXPECT_THAT(head, HasSubstr("Connection: close\r\n\r\n"));
  HttpAnswer same;
  same.status = 304;
  same.tag = "\"ab\"";
  EXPECT_THAT(head_of(same), HasSubstr("ETag: \"ab\"\r\n"));
  EXPECT_THAT(head_of(same), Not(HasSubstr("Content-Length")));
}

}  // namespace penumbra::cli
