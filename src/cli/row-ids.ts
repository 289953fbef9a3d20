/** What the rows of the torture table may be called, as part of a pattern; `[A5]` in a test's title. */
export const ROW_ID = '[A-F]\\d{1,2}|updates|streams-soak|streams-clear|detection'
