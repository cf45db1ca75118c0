// A client of grpc-go for the tests: it calls a server that echoes, and prints what came of each kind of call.
package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/encoding/gzip"
	_ "google.golang.org/grpc/health" // watches, as the service config asks for
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
)

// raw sends bytes as they are.
type raw struct{}

func (raw) Marshal(v any) ([]byte, error)      { return *v.(*[]byte), nil }
func (raw) Unmarshal(data []byte, v any) error { *v.(*[]byte) = append([]byte{}, data...); return nil }
func (raw) Name() string                       { return "proto" }

const (
	v1      = "/apiextensions.fn.proto.v1.FunctionRunnerService/RunFunction"
	v1beta1 = "/apiextensions.fn.proto.v1beta1.FunctionRunnerService/RunFunction"
)

func secure(dir string) (credentials.TransportCredentials, error) {
	pair, err := tls.LoadX509KeyPair(filepath.Join(dir, "client.crt"), filepath.Join(dir, "client.key"))
	if err != nil {
		return nil, err
	}
	ca, err := os.ReadFile(filepath.Join(dir, "ca.crt"))
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(ca)
	return credentials.NewTLS(&tls.Config{Certificates: []tls.Certificate{pair}, RootCAs: pool, ServerName: "localhost"}), nil
}

func main() {
	creds := insecure.NewCredentials()
	if len(os.Args) > 2 {
		found, err := secure(os.Args[2])
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		creds = found
	}
	conn, err := grpc.NewClient(
		os.Args[1],
		grpc.WithTransportCredentials(creds),
		grpc.WithDefaultCallOptions(grpc.ForceCodec(raw{}), grpc.MaxCallRecvMsgSize(64<<20)),
		// So it watches the server's health, and calls only while that is well.
		grpc.WithDefaultServiceConfig(`{"loadBalancingConfig": [{"round_robin": {}}], "healthCheckConfig": {"serviceName": ""}}`),
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: 10 * time.Second}),
	)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	defer conn.Close()

	call := func(method string, data []byte, timeout time.Duration, options ...grpc.CallOption) string {
		ctx, cancel := context.WithTimeout(context.Background(), timeout)
		defer cancel()
		var answer []byte
		if err := conn.Invoke(ctx, method, &data, &answer, options...); err != nil {
			return status.Code(err).String()
		}
		if !bytes.Equal(answer, data) {
			return fmt.Sprintf("another answer: %d bytes for %d", len(answer), len(data))
		}
		return "OK"
	}
	list := func() string {
		var request, answer []byte
		if err := conn.Invoke(context.Background(), "/grpc.health.v1.Health/List", &request, &answer); err != nil {
			return status.Code(err).String()
		}
		var found healthpb.HealthListResponse
		if err := proto.Unmarshal(answer, &found); err != nil {
			return err.Error()
		}
		serving := 0
		for _, one := range found.Statuses {
			if one.Status == healthpb.HealthCheckResponse_SERVING {
				serving++
			}
		}
		return fmt.Sprintf("%d of %d serving", serving, len(found.Statuses))
	}
	large := bytes.Repeat([]byte("0123456789abcdef"), 240_000) // 3.8 MB
	results := map[string]string{
		"v1":             call(v1, []byte("hello"), 10*time.Second),
		"v1beta1":        call(v1beta1, []byte("hello"), 10*time.Second),
		"empty":          call(v1, []byte{}, 10*time.Second),
		"large":          call(v1, large, 10*time.Second),
		"gzip":           call(v1, large, 10*time.Second, grpc.UseCompressor(gzip.Name)),
		"too large":      call(v1, append(large, large...), 10*time.Second),
		"unknown method": call("/a/b", []byte("hello"), 10*time.Second),
		"deadline":       call(v1, []byte("wait"), 300*time.Millisecond),
		"list":           list(),
	}
	count := map[string]int{}
	var lock sync.Mutex
	var group sync.WaitGroup
	for client := 0; client < 64; client++ {
		group.Add(1)
		go func() {
			defer group.Done()
			for number := 0; number < 50; number++ {
				result := call(v1, []byte(fmt.Sprintf("%d of %d", number, client)), 30*time.Second)
				lock.Lock()
				count[result]++
				lock.Unlock()
			}
		}()
	}
	group.Wait()
	json.NewEncoder(os.Stdout).Encode(map[string]any{"results": results, "many": count})
}
