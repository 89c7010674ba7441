/** Times are milliseconds in our types and timestamps in the database. */
export const msOf = (time: Date): number => time.getTime()
export const msOrNull = (time: Date | null): number | null => time?.getTime() ?? null

/** A time as the mark where a list goes on: columns that are listed by hold no more than milliseconds. */
export const markOf = (ms: number): string => new Date(ms).toISOString()

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** What cannot be an id names nothing; asking the database for it would be an error. */
export const isId = (text: string): boolean => UUID.test(text)
