/** Pattern of the ids of the torture table's rows, such as `[A5]` in a test's title. */
export const ROW_ID =
  '[A-F]\\d{1,2}|speech|updates|streams-soak|streams-clear|detection|messages-kill|messages-list|fuzz|outage-frozen|outage-gone|outage-disk'
