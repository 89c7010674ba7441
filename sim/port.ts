import type { Life } from './life.ts'
import { type Call, never } from './link.ts'

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
  const link = life.link(name)
  const unreachable = (why: string): Error => new Error(`failed to reach ${name}: ${why}`)
  const call = async (sent: Call, method: keyof T & string, args: unknown[]): Promise<unknown> => {
    const note = (what: string): void => life.timeline.add(life.name, `${name}.${method}  ${what}`)
    await life.onTheWay()
    if (!(await link.carry(sent))) return await never()
    if (life.happens('lost')) {
      note('is lost')
      await life.point()
      throw unreachable('the connection was reset')
    }
    const isUnanswered = life.happens('unanswered')
    const [answer] = await Promise.allSettled([
      (port[method] as (...args: unknown[]) => Promise<unknown>).apply(port, args),
    ])
    if (!(await link.carry(sent))) return await never()
    await life.point()
    if (answer.status === 'rejected') throw answer.reason
    if (!isUnanswered) return answer.value
    note('is done, and the answer is lost')
    throw unreachable('the connection was reset before the answer')
  }
  return new Proxy(port, {
    get(target, property) {
      if (methods.includes(property as keyof T & string)) {
        return (...args: unknown[]) =>
          link.answered((sent) => call(sent, property as keyof T & string, args), unreachable)
      }
      const value: unknown = Reflect.get(target, property, target)
      return typeof value === 'function' ? (value.bind(target) as unknown) : value
    },
  })
}
