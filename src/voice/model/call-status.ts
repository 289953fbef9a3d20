/** The convention's eight statuses of a call, and the events of a status callback. */
export type EndedStatus = 'completed' | 'busy' | 'no-answer' | 'failed' | 'canceled'
export type CallStatus = 'queued' | 'ringing' | 'in-progress' | EndedStatus
export type StatusEvent = 'initiated' | 'ringing' | 'answered' | 'completed'
