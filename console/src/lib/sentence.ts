/** The API writes lower case and without a stop, as errors are written; on a page of its own it is a sentence. */
export function sentence(text: string): string {
  const whole = text.charAt(0).toUpperCase() + text.slice(1)
  return /[.!?)]$/.test(whole) ? whole : `${whole}.`
}
