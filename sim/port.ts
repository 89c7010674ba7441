import type { Life } from './life.ts'

/**
 * A port of the world as one process sees it: every method is a call over the wire that can be lost before or after it
 * was done. For ports whose methods all return promises, such as a queue in a database.
 */
export function overTheWire<T extends object>(
  name: string,
  port: T,
  life: Life,
  methods: readonly (keyof T & string)[],
): T {
  const call = async (method: keyof T & string, args: unknown[]): Promise<unknown> => {
    const note = (what: string): void => life.timeline.add(life.name, `${name}.${method}  ${what}`)
    await life.onTheWay()
    if (life.happens('lost')) {
      note('is lost')
      throw new Error(`failed to reach ${name}: the connection was reset`)
    }
    const isUnanswered = life.happens('unanswered')
    const answer = await (port[method] as (...args: unknown[]) => Promise<unknown>).apply(port, args)
    await life.point()
    if (!isUnanswered) return answer
    note('is done, and the answer is lost')
    throw new Error(`failed to reach ${name}: the connection was reset before the answer`)
  }
  return new Proxy(port, {
    get(target, property) {
      if (methods.includes(property as keyof T & string)) {
        return (...args: unknown[]) => call(property as keyof T & string, args)
      }
      const value: unknown = Reflect.get(target, property, target)
      return typeof value === 'function' ? (value.bind(target) as unknown) : value
    },
  })
}
