const SUFFIXES: Readonly<Record<string, number>> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
}

/** `500m` is 0.5, `1Gi` is 1073741824. `undefined`: not a Kubernetes quantity. */
export function quantityOf(text: string): number | undefined {
  const [, number, suffix = ''] =
    /^([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)([numkMGTPE]|[KMGTPE]i)?$/.exec(text) ?? []
  const factor = SUFFIXES[suffix]
  return number === undefined || factor === undefined ? undefined : Number(number) * factor
}

/** Whether two texts are the same amount, such as `1024Mi` and `1Gi`. False if one of them is not a quantity. */
export function sameQuantity(a: string, b: string): boolean {
  const [x, y] = [quantityOf(a), quantityOf(b)]
  return x !== undefined && y !== undefined && Math.abs(x - y) <= Math.abs(x) * 1e-9
}
