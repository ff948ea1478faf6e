package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"math"
	"math/rand"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

const body = `{"customer":{"first_name":"Ada","phone_e164":"+15551230001"},"order":{"number":"10042","total":"49.90","currency":"USD","items":[{"name":"Mug","qty":2}],"order_url_customer":"https://shop.example/orders/10042"}}`

var client = http.Client{Timeout: 20 * time.Second}

// post gives the status, the answer, and the seconds of Retry-After.
func post(id string) (int, string, float64) {
	timestamp := strconv.FormatInt(time.Now().Unix(), 10)
	mac := hmac.New(sha256.New, []byte(os.Getenv("WEBHOOK_SECRET")))
	mac.Write([]byte(id + "." + timestamp + "." + body))
	request, err := http.NewRequest("POST", os.Getenv("BASE_URL")+"/api/public/ingest/generic/order.created", strings.NewReader(body))
	if err != nil {
		return 400, err.Error(), 0
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("X-Service-Site-Key", os.Getenv("SITE_KEY"))
	request.Header.Set("webhook-id", id)
	request.Header.Set("webhook-timestamp", timestamp)
	request.Header.Set("webhook-signature", "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	response, err := client.Do(request)
	if err != nil {
		return 0, err.Error(), 0
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		return 0, err.Error(), 0
	}
	retryAfter, _ := strconv.ParseFloat(response.Header.Get("Retry-After"), 64)
	return response.StatusCode, string(answer), retryAfter
}

func main() {
	id := os.Getenv("EVENT_ID") // the same in every retry
	if id == "" {
		id = "order-10042-created-go"
	}
	random := rand.New(rand.NewSource(time.Now().UnixNano()))
	until := time.Now().Add(270 * time.Second) // the id counts for 300 seconds
	for wait := 1.0; ; wait = math.Min(2*wait, 600) {
		status, answer, retryAfter := post(id)
		pause := time.Duration(math.Max(wait, retryAfter) * (1 + random.Float64()) * float64(time.Second))
		again := status == 0 || status == 408 || status == 429 || status >= 500
		if !again || time.Now().Add(pause).After(until) {
			fmt.Println(answer)
			if status < 200 || status > 299 {
				os.Exit(1)
			}
			return
		}
		time.Sleep(pause)
	}
}
