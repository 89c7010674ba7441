export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host)

/** Why a URL must not be used: it is neither https nor on loopback. False if it may, or if there is none. */
export const insecureUrl = (variable: string, value: string | undefined): string | false =>
  value !== undefined &&
  value.startsWith('http:') &&
  !isLoopback(new URL(value).hostname) &&
  `${variable} (${value}) must use https unless it is on loopback: cookies and tokens would travel in clear`
