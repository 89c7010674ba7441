/** Times are milliseconds in our types and timestamps in the database. */
export const msOf = (time: Date): number => time.getTime()
export const msOrNull = (time: Date | null): number | null => time?.getTime() ?? null

/** A time as part of a cursor. The columns that lists are sorted by are truncated to milliseconds. */
export const markOf = (ms: number): string => new Date(ms).toISOString()

const MARK = /^[1-9]\d{3}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

/** Checked before a query: JavaScript reads times that PostgreSQL refuses, such as `1`. */
export const isMark = (text: string): boolean => MARK.test(text) && !Number.isNaN(Date.parse(text))

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Checked before a query: PostgreSQL answers an invalid uuid with an error instead of no row. */
export const isId = (text: string): boolean => UUID.test(text)

/** PostgreSQL stores neither U+0000 nor half of a surrogate pair. */
export const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\0')

export const UNSTORABLE = 'has a character that cannot be stored: U+0000, or half of a surrogate pair'
