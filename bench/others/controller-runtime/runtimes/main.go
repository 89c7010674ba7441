// The reconcile of a ClassRuntime with one function on controller-runtime: finalizer, Deployment and Service by server-side
// apply, readiness from the children, one status. It compares with its caches first and writes nothing that is as wanted.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"sync/atomic"
	"syscall"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	appsv1apply "k8s.io/client-go/applyconfigurations/apps/v1"
	corev1apply "k8s.io/client-go/applyconfigurations/core/v1"
	metav1apply "k8s.io/client-go/applyconfigurations/meta/v1"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"
)

const (
	finalizer = "oaas.io/finalizer"
	ownerKey  = "oaas.io/owner"
	manager   = "oprc-crm"
)

var group = schema.GroupVersion{Group: "oaas.io", Version: "v1alpha1"}

type Provision struct {
	ContainerImage string `json:"container_image,omitempty"`
	Port           int32  `json:"port,omitempty"`
	MinScale       *int32 `json:"min_scale,omitempty"`
}

type Function struct {
	Key       string     `json:"function_key"`
	Provision *Provision `json:"provision_config,omitempty"`
}

type Spec struct {
	Template  string     `json:"selected_template,omitempty"`
	Addons    []string   `json:"addons,omitempty"`
	Functions []Function `json:"functions,omitempty"`
}

type FunctionStatus struct {
	Key          string `json:"function_key"`
	Service      string `json:"service,omitempty"`
	Port         int32  `json:"port,omitempty"`
	PredictedURL string `json:"predicted_url,omitempty"`
	Template     string `json:"template,omitempty"`
	Ready        bool   `json:"ready"`
	Reason       string `json:"reason,omitempty"`
	Message      string `json:"message,omitempty"`
}

type Ref struct {
	Kind string `json:"kind"`
	Name string `json:"name"`
}

type Status struct {
	Phase              string             `json:"phase,omitempty"`
	Message            string             `json:"message,omitempty"`
	ObservedGeneration int64              `json:"observed_generation,omitempty"`
	Conditions         []metav1.Condition `json:"conditions,omitempty"`
	ResourceRefs       []Ref              `json:"resource_refs,omitempty"`
	Functions          []FunctionStatus   `json:"functions,omitempty"`
	FunctionsReady     string             `json:"functions_ready,omitempty"`
	Template           string             `json:"template,omitempty"`
}

type ClassRuntime struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              Spec   `json:"spec"`
	Status            Status `json:"status,omitempty"`
}

type ClassRuntimeList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []ClassRuntime `json:"items"`
}

func (in *ClassRuntime) DeepCopy() *ClassRuntime {
	out := *in
	in.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	out.Spec.Addons = append([]string(nil), in.Spec.Addons...)
	out.Spec.Functions = append([]Function(nil), in.Spec.Functions...)
	for i, fn := range in.Spec.Functions {
		if fn.Provision != nil {
			provision := *fn.Provision
			out.Spec.Functions[i].Provision = &provision
		}
	}
	out.Status.Conditions = append([]metav1.Condition(nil), in.Status.Conditions...)
	out.Status.ResourceRefs = append([]Ref(nil), in.Status.ResourceRefs...)
	out.Status.Functions = append([]FunctionStatus(nil), in.Status.Functions...)
	return &out
}

func (in *ClassRuntime) DeepCopyObject() runtime.Object { return in.DeepCopy() }

func (in *ClassRuntimeList) DeepCopyObject() runtime.Object {
	out := *in
	out.Items = make([]ClassRuntime, len(in.Items))
	for i := range in.Items {
		out.Items[i] = *in.Items[i].DeepCopy()
	}
	return &out
}

type reconciler struct {
	client.Client
	pending atomic.Int64 // reconciles of the resync still to come
	total   int64
}

func (r *reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	err := r.reconcile(ctx, req)
	if r.pending.Load() > 0 && r.pending.Add(-1) == 0 {
		fmt.Println("resync", r.total)
	}
	return ctrl.Result{}, err
}

func (r *reconciler) reconcile(ctx context.Context, req ctrl.Request) error {
	var class ClassRuntime
	if err := r.Get(ctx, req.NamespacedName, &class); err != nil {
		return client.IgnoreNotFound(err)
	}
	if !class.DeletionTimestamp.IsZero() {
		return r.cleanUp(ctx, &class)
	}
	if !controllerutil.ContainsFinalizer(&class, finalizer) {
		old := class.DeepCopy()
		controllerutil.AddFinalizer(&class, finalizer)
		if err := r.Patch(ctx, &class, client.MergeFromWithOptions(old, client.MergeFromWithOptimisticLock{})); err != nil {
			return err
		}
	}
	old := class.DeepCopy()
	ready := 0
	class.Status.ResourceRefs, class.Status.Functions = nil, nil
	for _, fn := range class.Spec.Functions {
		status, err := r.function(ctx, &class, fn)
		if err != nil {
			return err
		}
		if status.Ready {
			ready++
		}
		class.Status.Functions = append(class.Status.Functions, status)
	}
	class.Status.Template = "k8s_deployment"
	class.Status.FunctionsReady = fmt.Sprintf("%d/%d", ready, len(class.Spec.Functions))
	available := ready == len(class.Spec.Functions)
	class.Status.Phase, class.Status.Message = "progressing", class.Status.FunctionsReady+" functions are ready"
	if available {
		class.Status.Phase = "available"
	}
	class.Status.ObservedGeneration = class.Generation
	for condition, holds := range map[string]bool{"Progressing": !available, "Available": available, "Degraded": false} {
		status := metav1.ConditionFalse
		if holds {
			status = metav1.ConditionTrue
		}
		apimeta.SetStatusCondition(&class.Status.Conditions, metav1.Condition{Type: condition, Status: status,
			Reason: "Observed", Message: class.Status.Message, ObservedGeneration: class.Generation})
	}
	if same(old.Status, class.Status) {
		return nil
	}
	return client.IgnoreNotFound(r.Status().Patch(ctx, &class, client.MergeFrom(old)))
}

func (r *reconciler) function(ctx context.Context, class *ClassRuntime, fn Function) (FunctionStatus, error) {
	name := class.Name + "-" + strings.ToLower(fn.Key)
	at := types.NamespacedName{Namespace: class.Namespace, Name: name}
	replicas, port, image := int32(1), int32(8080), ""
	if p := fn.Provision; p != nil {
		image = p.ContainerImage
		if p.MinScale != nil {
			replicas = *p.MinScale
		}
		if p.Port != 0 {
			port = p.Port
		}
	}
	set := map[string]string{ownerKey: class.Name, "oaas.io/function": fn.Key, "app": name}
	owner := metav1apply.OwnerReference().WithAPIVersion(group.String()).WithKind("ClassRuntime").
		WithName(class.Name).WithUID(class.UID).WithController(true).WithBlockOwnerDeletion(true)

	var deployment appsv1.Deployment
	found := r.Get(ctx, at, &deployment) == nil
	if !found || !asWanted(&deployment, class, replicas, image) {
		wanted := appsv1apply.Deployment(name, class.Namespace).WithLabels(set).WithOwnerReferences(owner).
			WithSpec(appsv1apply.DeploymentSpec().WithReplicas(replicas).
				WithSelector(metav1apply.LabelSelector().WithMatchLabels(set)).
				WithTemplate(corev1apply.PodTemplateSpec().WithLabels(set).WithSpec(corev1apply.PodSpec().
					WithContainers(corev1apply.Container().WithName("function").WithImage(image).
						WithPorts(corev1apply.ContainerPort().WithName("http").WithContainerPort(port))))))
		if err := r.Apply(ctx, wanted, client.FieldOwner(manager)); err != nil {
			return FunctionStatus{}, err
		}
	}
	var service corev1.Service
	if r.Get(ctx, at, &service) != nil || !metav1.IsControlledBy(&service, class) || service.Spec.Ports[0].TargetPort.IntVal != port {
		wanted := corev1apply.Service(name, class.Namespace).WithLabels(set).WithOwnerReferences(owner).
			WithSpec(corev1apply.ServiceSpec().WithSelector(set).WithPorts(corev1apply.ServicePort().
				WithName("http").WithPort(80).WithTargetPort(intstr.FromInt32(port))))
		if err := r.Apply(ctx, wanted, client.FieldOwner(manager)); err != nil {
			return FunctionStatus{}, err
		}
	}
	class.Status.ResourceRefs = append(class.Status.ResourceRefs, Ref{"Deployment", name}, Ref{"Service", name})

	status := FunctionStatus{Key: fn.Key, Service: name, Port: 80, Template: "k8s_deployment",
		PredictedURL: fmt.Sprintf("http://%s.%s.svc.cluster.local", name, class.Namespace),
		Ready:        found && deployment.Status.ObservedGeneration >= deployment.Generation && deployment.Status.AvailableReplicas >= replicas}
	status.Message = fmt.Sprintf("%d of %d replicas are available", deployment.Status.AvailableReplicas, replicas)
	status.Reason = "Ready"
	if !status.Ready {
		status.Reason = "Waiting"
		if reason, message := r.crash(ctx, class.Namespace, set); reason != "" {
			status.Reason, status.Message = reason, message
		}
	}
	return status, nil
}

func asWanted(deployment *appsv1.Deployment, class *ClassRuntime, replicas int32, image string) bool {
	containers := deployment.Spec.Template.Spec.Containers
	return metav1.IsControlledBy(deployment, class) && *deployment.Spec.Replicas == replicas &&
		len(containers) == 1 && containers[0].Image == image
}

func (r *reconciler) crash(ctx context.Context, namespace string, set map[string]string) (string, string) {
	var pods corev1.PodList
	if err := r.List(ctx, &pods, client.InNamespace(namespace), client.MatchingLabels(set)); err != nil {
		return "", ""
	}
	for _, pod := range pods.Items {
		for _, container := range pod.Status.ContainerStatuses {
			if waiting := container.State.Waiting; waiting != nil && waiting.Reason == "CrashLoopBackOff" {
				return "CrashLoop", fmt.Sprintf("container %s of pod %s restarted %d times", container.Name, pod.Name, container.RestartCount)
			}
		}
	}
	return "", ""
}

func (r *reconciler) cleanUp(ctx context.Context, class *ClassRuntime) error {
	if !controllerutil.ContainsFinalizer(class, finalizer) {
		return nil
	}
	old := class.DeepCopy()
	controllerutil.RemoveFinalizer(class, finalizer)
	return client.IgnoreNotFound(r.Patch(ctx, class, client.MergeFrom(old)))
}

func same(a, b Status) bool {
	a.Conditions, b.Conditions = trimmed(a.Conditions), trimmed(b.Conditions)
	return fmt.Sprint(a) == fmt.Sprint(b)
}

func trimmed(conditions []metav1.Condition) []metav1.Condition {
	sorted := make([]metav1.Condition, 0, len(conditions))
	for _, name := range []string{"Available", "Degraded", "Progressing"} {
		if condition := apimeta.FindStatusCondition(conditions, name); condition != nil {
			copied := *condition
			copied.LastTransitionTime = metav1.Time{}
			sorted = append(sorted, copied)
		}
	}
	return sorted
}

func main() {
	flag.Parse()
	ctrl.SetLogger(zap.New())
	scheme := runtime.NewScheme()
	check(clientgoscheme.AddToScheme(scheme))
	scheme.AddKnownTypes(group, &ClassRuntime{}, &ClassRuntimeList{})
	metav1.AddToGroupVersion(scheme, group)

	ours, err := labels.Parse(ownerKey)
	check(err)
	mgr, err := ctrl.NewManager(ctrl.GetConfigOrDie(), ctrl.Options{Scheme: scheme, Metrics: server.Options{BindAddress: "0"},
		Cache: cache.Options{ByObject: map[client.Object]cache.ByObject{
			&appsv1.Deployment{}: {Label: ours}, &corev1.Service{}: {Label: ours}, &corev1.Pod{}: {Label: ours}}}})
	check(err)
	r := &reconciler{Client: mgr.GetClient()}
	resync := make(chan event.GenericEvent, 1024)
	ownerOf := handler.EnqueueRequestsFromMapFunc(func(_ context.Context, pod client.Object) []reconcile.Request {
		return []reconcile.Request{{NamespacedName: types.NamespacedName{Namespace: pod.GetNamespace(), Name: pod.GetLabels()[ownerKey]}}}
	})
	check(ctrl.NewControllerManagedBy(mgr).
		For(&ClassRuntime{}, builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		Owns(&appsv1.Deployment{}).
		Owns(&corev1.Service{}).
		Watches(&corev1.Pod{}, ownerOf).
		WatchesRawSource(source.Channel(resync, &handler.EnqueueRequestForObject{})).
		WithOptions(controller.Options{MaxConcurrentReconciles: 8}).
		Complete(r))

	ctx := ctrl.SetupSignalHandler()
	usr2 := make(chan os.Signal, 1)
	signal.Notify(usr2, syscall.SIGUSR2)
	go func() {
		for range usr2 {
			var all ClassRuntimeList
			check(mgr.GetClient().List(ctx, &all))
			r.total = int64(len(all.Items))
			r.pending.Store(r.total)
			for i := range all.Items {
				resync <- event.GenericEvent{Object: &all.Items[i]}
			}
		}
	}()
	check(mgr.Start(ctx))
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
