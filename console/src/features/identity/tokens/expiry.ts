import { durationText } from '../../../lib/age.ts'

export function expiryText(expiresAt: string | null, now: number): string {
  if (expiresAt === null) return 'never'
  const left = Date.parse(expiresAt) - now
  return left <= 0 ? `${durationText(-left)} ago` : `in ${durationText(left)}`
}
