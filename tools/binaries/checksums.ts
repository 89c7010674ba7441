/**
 * Checksums of the official releases, by host and path: SHA-256 or SHA-512 in hexadecimal. Sources: the changelog of
 * Kubernetes, SHA256SUMS of etcd, the release notes of Helm, the package kwok-bin of Arch Linux. A new version needs new
 * checksums: a release without one here is not downloaded.
 */
const CHECKSUMS: Readonly<Record<string, string>> = {
  'dl.k8s.io/v1.35.4/kubernetes-server-linux-amd64.tar.gz':
    '7454c2d9023de3230972e965e1e2a587a291e2a1abee703bb0737057e1646b23ebac538b93dd778e93579e3c293dc1fa8d002e6848ad5ebc01598bc47358fe44',
  'dl.k8s.io/v1.35.4/kubernetes-server-linux-arm64.tar.gz':
    '67187a2fe780be7816f9d10e082ed02cbba306bab379980280d00ba4c4017ff53c50cd2ff81d248c91ddcc064276b8760e17c73a1a7da1d35067a6fc0ffbdc88',
  'github.com/etcd-io/etcd/releases/download/v3.6.6/etcd-v3.6.6-linux-amd64.tar.gz':
    '887afaa4a99f22d802ccdfbe65730a5e79aa5c9ce2c8799c67e9d804c50ecedb',
  'github.com/etcd-io/etcd/releases/download/v3.6.6/etcd-v3.6.6-linux-arm64.tar.gz':
    '8a15f5427c111ff4692753682374970fb68878401d946c2c28bdad6857db652f',
  'get.helm.sh/helm-v4.3.0-linux-amd64.tar.gz': '86584a54def73570558f66f5111cc53dfed56689637ae32c1201205d494f54fb',
  'get.helm.sh/helm-v4.3.0-linux-arm64.tar.gz': '31c5794dd55c66a51e6b7d2e2ac7a114ae8b1de41ff1d9ba51748ac973b06a08',
  'github.com/kubernetes-sigs/kwok/releases/download/v0.7.0/kwok-linux-amd64':
    '56ca852c4aa5851b44e99019214942ec55c6b6c25cbf85bea91019c1931b3415',
  'github.com/kubernetes-sigs/kwok/releases/download/v0.7.0/kwok-linux-arm64':
    'd66e9a2532ecfecff83de0f68ee1973a941b9c145ca246340cf9e8de8aeca033',
}

export const checksumOf = (hostAndPath: string): string | undefined => CHECKSUMS[hostAndPath]
