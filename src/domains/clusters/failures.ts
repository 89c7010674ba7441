import { defineFailures } from '../../kernel/index.ts'

const RETRIED = 'Caelus retries automatically.'

/** Everything that can go wrong with a cluster. A sync never gives up, so whatever a worker meets is retryable. */
export const raise = defineFailures({
  GardenerUnreachable: {
    whoseMove: 'platform',
    retryable: true,
    nextStep: `${RETRIED} If the problem persists, check that the API of Gardener is up and reachable from the worker.`,
  },
  GardenerForbidden: {
    whoseMove: 'operator',
    retryable: true,
    nextStep: `Give the user of GARDENER_KUBECONFIG the right that the message names. ${RETRIED}`,
  },
  GardenerMisconfigured: {
    whoseMove: 'operator',
    retryable: true,
    nextStep: `Correct the setting that the message names (GARDENER_…), or create what it refers to. ${RETRIED}`,
  },
  ShootRefused: {
    whoseMove: 'user',
    retryable: true,
    nextStep: `Change the field that the message names to a value that is supported. ${RETRIED}`,
  },
  ShootTaken: {
    whoseMove: 'operator',
    retryable: true,
    nextStep: `Delete or rename the Shoot of this name: it was not created by Caelus, which never changes it. ${RETRIED}`,
  },
  ProjectTaken: {
    whoseMove: 'operator',
    retryable: true,
    nextStep: `Delete or rename the Project of this name: it was not created by Caelus, which never changes it. ${RETRIED}`,
  },
  ShootTerminating: {
    whoseMove: 'platform',
    retryable: true,
    nextStep: 'No action needed: Caelus creates the Shoot again once the deletion has ended.',
  },
  NamespacePending: {
    whoseMove: 'platform',
    retryable: true,
    nextStep: `Gardener creates the namespace of the project. ${RETRIED} If the problem persists, check gardener-controller-manager.`,
  },
  InfrastructureCredentials: {
    whoseMove: 'operator',
    retryable: true,
    nextStep: 'Correct the credentials of the infrastructure that the CredentialsBinding refers to, then retry.',
  },
  InfrastructureQuota: {
    whoseMove: 'operator',
    retryable: true,
    nextStep: 'Have the quota of the infrastructure raised or order fewer nodes, then retry.',
  },
  InfrastructureBusy: {
    whoseMove: 'platform',
    retryable: true,
    nextStep: 'No action needed: Gardener retries once the infrastructure accepts requests again.',
  },
  InfrastructureDepleted: {
    whoseMove: 'user',
    retryable: true,
    nextStep: 'Choose another machine type or region, or wait until the infrastructure has capacity; then retry.',
  },
  InfrastructureDependencies: {
    whoseMove: 'operator',
    retryable: true,
    nextStep: 'Remove what still uses the resources that the message names from the infrastructure, then retry.',
  },
  ClusterResourcesLeft: {
    whoseMove: 'user',
    retryable: true,
    nextStep:
      'Remove what blocks the cleanup inside the cluster: objects with finalizers that no controller removes (`caelus get-kubeconfig` still gives access).',
  },
  ClusterConfiguration: {
    whoseMove: 'user',
    retryable: true,
    nextStep: 'Correct what the message names in the cluster, then retry.',
  },
  ClusterWebhook: {
    whoseMove: 'user',
    retryable: true,
    nextStep: 'Correct or remove the webhook in the cluster that the message names: it blocks the control plane.',
  },
  ShootFailed: {
    whoseMove: 'operator',
    retryable: true,
    nextStep: 'Read the message of Gardener, remove the cause, then retry the operation.',
  },
  ShootErroneous: {
    whoseMove: 'platform',
    retryable: true,
    nextStep: 'Gardener retries automatically. If the problem persists, the message says what fails.',
  },
  ShootDegraded: {
    whoseMove: 'operator',
    retryable: true,
    nextStep: 'Read the condition that the message names. The cluster becomes ready again once it is healthy.',
  },
  ClusterStaleFence: {
    whoseMove: 'platform',
    retryable: true,
    nextStep:
      'No action needed if another worker has taken over. If the failure stays (restored database, annotation changed by hand), remove the annotation caelus.io/fence of the Shoot.',
  },
  ClusterNameTaken: {
    whoseMove: 'user',
    retryable: false,
    nextStep: 'Choose a name that no other cluster of the organization has.',
  },
  RegionImmutable: {
    whoseMove: 'user',
    retryable: false,
    nextStep: 'Order a new cluster in the other region: Gardener cannot move one.',
  },
  VersionRefused: {
    whoseMove: 'user',
    retryable: false,
    nextStep: 'Choose a version that is offered: `caelus list-cluster-versions` and `caelus list-regions` list them.',
  },
  ClusterLimit: {
    whoseMove: 'user',
    retryable: false,
    nextStep: 'Delete a cluster, ask for fewer nodes, or ask an admin for higher limits of the organization.',
  },
  NotOffered: {
    whoseMove: 'user',
    retryable: false,
    nextStep: 'Choose one of those that the message names, or ask an admin to allow it for the organization.',
  },
  ClusterBeingDeleted: {
    whoseMove: 'user',
    retryable: false,
    nextStep: 'Order it again once it is gone: a deletion cannot be taken back.',
  },
  ClusterInUse: {
    whoseMove: 'user',
    retryable: false,
    nextStep: 'Delete the apps that the message names first, or delete the cluster together with them (`--with-apps`).',
  },
  ClusterNotReady: {
    whoseMove: 'user',
    retryable: true,
    nextStep: 'Wait until the control plane of the cluster is up, then try again.',
  },
  ClusterHibernated: {
    whoseMove: 'user',
    retryable: false,
    nextStep: 'Wake it up (`caelus update-cluster --wake-up`), wait until it is ready, then try again.',
  },
  RetryNeeded: {
    whoseMove: 'user',
    retryable: false,
    nextStep:
      'Remove the cause of what failed and retry it (`caelus operate-cluster … retry`); once that has succeeded, try again.',
  },
  RotationNotDue: {
    whoseMove: 'user',
    retryable: false,
    nextStep:
      'A rotation is started when none is under way, and completed once all parts are Prepared: `caelus get-cluster -o json` shows their phases.',
  },
  OperationPending: {
    whoseMove: 'user',
    retryable: true,
    nextStep:
      'Wait until Gardener was asked for the operation that the message names, which `caelus list-cluster-events` tells; then try again.',
  },
  OrphansKept: {
    whoseMove: 'operator',
    retryable: true,
    nextStep:
      'Look at the Shoots that the message names. If they are to go, delete them by hand or raise the limit that it names; if not, find out who removed their rows.',
  },
})

export type ClusterFailureCode = keyof typeof raise
