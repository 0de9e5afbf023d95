// A merchant's server on Go's standard library alone. It verifies each delivery, keeps it once, answers at
// once, and works afterwards.
//
// WEBHOOK_SECRET is the whsec_… text that create_merchant_webhook showed once.
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	toleranceSeconds = 300
	mostBytes        = 1 << 20
)

type event struct {
	ID   string `json:"id"`
	Type string `json:"type"`
	Data struct {
		Object struct {
			AmountUsd         string `json:"amountUsd"`
			ExternalReference string `json:"externalReference"`
		} `json:"object"`
	} `json:"data"`
}

// isGenuine tells whether one of the signatures is of these very bytes, made within five minutes of now.
func isGenuine(secret string, header http.Header, body []byte, now time.Time) bool {
	timestamp := header.Get("svc-webhook-timestamp")
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil {
		return false
	}
	age := now.Unix() - seconds
	if age > toleranceSeconds || age < -toleranceSeconds {
		return false
	}
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(timestamp + "."))
	mac.Write(body)
	expected := []byte("v1=" + hex.EncodeToString(mac.Sum(nil)))
	// After a rotation there may be two, v1=<new>,v1=<old>; either will do.
	for _, part := range strings.Split(header.Get("svc-webhook-signature"), ",") {
		if hmac.Equal([]byte(strings.TrimSpace(part)), expected) {
			return true
		}
	}
	return false
}

// Seen keeps the ids that came. Keep them in your database, the id as its primary key: insert, and answer
// 200 when it was there already.
type seen struct {
	lock sync.Mutex
	ids  map[string]bool
}

func (kept *seen) isNew(id string) bool {
	kept.lock.Lock()
	defer kept.lock.Unlock()
	if kept.ids[id] {
		return false
	}
	kept.ids[id] = true
	return true
}

func handle(came event) {
	if came.Type == "payment_request.paid" {
		paid := came.Data.Object
		fmt.Printf("%s is paid: %s USD.\n", paid.ExternalReference, paid.AmountUsd)
	}
}

func receive(secret string, toDo chan<- event) http.HandlerFunc {
	kept := &seen{ids: map[string]bool{}}
	return func(response http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(response, request.Body, mostBytes))
		var came event
		if err != nil || !isGenuine(secret, request.Header, body, time.Now()) ||
			json.Unmarshal(body, &came) != nil {
			response.WriteHeader(http.StatusBadRequest)
			return
		}
		if kept.isNew(came.ID) {
			toDo <- came
		}
		response.WriteHeader(http.StatusOK)
	}
}

func main() {
	secret, port := os.Getenv("WEBHOOK_SECRET"), os.Getenv("PORT")
	if secret == "" {
		log.Fatal("WEBHOOK_SECRET is not set.")
	}
	if port == "" {
		port = "8080"
	}
	toDo := make(chan event, 1024)
	go func() {
		for came := range toDo {
			handle(came)
		}
	}()
	server := &http.Server{
		Addr:        "127.0.0.1:" + port,
		Handler:     receive(secret, toDo),
		ReadTimeout: 10 * time.Second,
	}
	fmt.Printf("Listening on http://%s/webhooks\n", server.Addr)
	log.Fatal(server.ListenAndServe())
}
