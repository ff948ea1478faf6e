require "json"
require "net/http"
require "openssl"

order = {
  number: "10042",
  total: "49.90",
  currency: "USD",
  items: [{ name: "Mug", qty: 2 }],
  order_url_customer: "https://shop.example/orders/10042",
}
body = JSON.generate({ customer: { first_name: "Ada", phone_e164: "+15551230001" }, order: order })
id = ENV.fetch("EVENT_ID", "order-10042-created-rb") # the same in every retry
address = URI(ENV.fetch("BASE_URL") + "/api/public/ingest/generic/order.created")

post = lambda do
  timestamp = Time.now.to_i.to_s
  signature = [OpenSSL::HMAC.digest("SHA256", ENV.fetch("WEBHOOK_SECRET"), "#{id}.#{timestamp}.#{body}")].pack("m0")
  headers = {
    "Content-Type" => "application/json",
    "X-Service-Site-Key" => ENV.fetch("SITE_KEY"),
    "webhook-id" => id,
    "webhook-timestamp" => timestamp,
    "webhook-signature" => "v1,#{signature}",
  }
  # The loop below does the retries, each with a time of its own.
  options = { use_ssl: address.scheme == "https", open_timeout: 20, read_timeout: 20, max_retries: 0 }
  Net::HTTP.start(address.host, address.port, **options) { |http| http.post(address.path, body, headers) }
rescue SystemCallError, IOError, SocketError, Timeout::Error, OpenSSL::SSL::SSLError, Net::ProtocolError => failure
  failure
end

stop_at = Time.now + 270 # the id counts for 300 seconds
wait = 1
loop do
  response = post.call
  answered = response.is_a?(Net::HTTPResponse)
  status = answered ? response.code.to_i : 0
  pause = [wait, answered ? response["Retry-After"].to_i : 0].max * (1 + rand)
  again = [0, 408, 429].include?(status) || status >= 500
  if !again || Time.now + pause > stop_at
    puts answered ? response.body : response.message
    exit status.between?(200, 299)
  end
  sleep pause
  wait = [2 * wait, 600].min
end
