require "json"
require "openssl"
require "webrick"

KEY = ENV.fetch("OUTBOUND_SECRET").delete_prefix("whsec_").unpack1("m")

def genuine?(request, body)
  id, timestamp = request["webhook-id"].to_s, request["webhook-timestamp"].to_s
  return false if id.empty? || !timestamp.match?(/\A\d+\z/) || (Time.now.to_i - timestamp.to_i).abs > 300

  expected = "v1," + [OpenSSL::HMAC.digest("SHA256", KEY, "#{id}.#{timestamp}.".b + body.b)].pack("m0")
  request["webhook-signature"].to_s.split.any? { |one| OpenSSL.secure_compare(one, expected) }
end

server = WEBrick::HTTPServer.new(BindAddress: "127.0.0.1", Port: ENV.fetch("PORT").to_i, AccessLog: [], Logger: WEBrick::Log.new(File::NULL))
server.mount_proc("/") do |request, response|
  body = request.body.to_s
  genuine = genuine?(request, body)
  $stdout.puts(JSON.generate(JSON.parse(body))) if genuine
  $stdout.flush
  response.status = genuine ? 204 : 401
end
server.start
