import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { unpacked } from '../debian.ts'
import type { OnProgress } from '../progress.ts'

/** What the node itself runs: the container runtime, iptables for kube-proxy, and the libraries of both. */
const RUNTIME_PACKAGES = [
  'containerd',
  'runc',
  'containernetworking-plugins',
  'libseccomp2',
  'iptables',
  'libip4tc2',
  'libip6tc2',
  'libxtables12',
  'libnftnl11',
  'libmnl0',
  'libnfnetlink0',
  'libnetfilter-conntrack3',
  'busybox-static',
] as const

/** nginx with every library it loads, so that an image of it needs nothing from this machine. */
const NGINX_PACKAGES = ['nginx', 'nginx-common', 'libc6', 'libcrypt1', 'libpcre2-8-0', 'libssl3', 'zlib1g'] as const

export const runtimePackages = (onProgress?: OnProgress): Promise<string> =>
  unpacked('node/runtime', RUNTIME_PACKAGES, { ...(onProgress && { onProgress }), finish: chooseIptables })

export const nginxPackages = (onProgress?: OnProgress): Promise<string> =>
  unpacked('node/nginx', NGINX_PACKAGES, { ...(onProgress && { onProgress }) })

/** Debian decides in an install script which implementation `iptables` is; that did not run. */
async function chooseIptables(root: string): Promise<void> {
  const folder = join(root, 'usr/sbin')
  for (const name of ['iptables', 'ip6tables'].flatMap((base) => [base, `${base}-save`, `${base}-restore`])) {
    await symlink('xtables-nft-multi', join(folder, name))
  }
}
