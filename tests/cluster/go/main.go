// The part of kube-controller-manager that a control plane without nodes needs: Kubernetes' own garbage collector, and its
// controller that empties namespaces which are being deleted. Everything else of it would only take time to build.
package main

import (
	"context"
	"flag"
	"log"
	"os"
	"os/signal"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/controller-manager/pkg/informerfactory"
	"k8s.io/kubernetes/pkg/controller/garbagecollector"
	"k8s.io/kubernetes/pkg/controller/namespace"
)

const (
	resync     = 12 * time.Hour
	newKinds   = 5 * time.Second // how often the garbage collector looks for new kinds
	collectors = 5
)

func main() {
	path := flag.String("kubeconfig", os.Getenv("KUBECONFIG"), "the file that says where the API server is")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	config, err := clientcmd.BuildConfigFromFlags("", *path)
	if err != nil {
		log.Fatal(err)
	}
	config.QPS, config.Burst = 200, 400
	if err := run(ctx, config); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, config *rest.Config) error {
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	objects, err := metadata.NewForConfig(config)
	if err != nil {
		return err
	}
	typed := informers.NewSharedInformerFactory(client, resync)
	any := metadatainformer.NewSharedInformerFactory(objects, resync)
	started := make(chan struct{})
	collector, err := garbagecollector.NewGarbageCollector(
		ctx,
		client,
		objects,
		restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(client.Discovery())),
		garbagecollector.DefaultIgnoredResources(),
		informerfactory.NewInformerFactory(typed, any),
		started,
	)
	if err != nil {
		return err
	}
	namespaces := namespace.NewNamespaceController(
		ctx,
		client,
		objects,
		client.Discovery().ServerPreferredNamespacedResources,
		typed.Core().V1().Namespaces(),
		5*time.Minute,
		corev1.FinalizerKubernetes,
	)
	typed.Start(ctx.Done())
	close(started)
	go collector.Run(ctx, collectors, 30*time.Second)
	go collector.Sync(ctx, client.Discovery(), newKinds)
	namespaces.Run(ctx, 2)
	return nil
}
