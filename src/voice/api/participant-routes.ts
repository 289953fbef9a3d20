import type { OpenAPIHono, z } from '@hono/zod-openapi'
import type { ParticipantChange } from '../conferences/participant-settings.js'
import type { ParticipantView } from '../conferences/participant-view.js'
import {
  CONFERENCE_FIELD_ERRORS,
  CONFERENCES,
  createParticipantForm,
  updateParticipantForm,
} from './conference-schemas.js'
import { participantToWire } from './conference-wire.js'
import { ApiError } from './errors.js'
import { parseForm, readForm } from './form.js'
import { type InviteDeps, inviteParticipant } from './invite-participant.js'
import { pageOfCalls } from './page-of-calls.js'
import { envelope, readPage } from './paging.js'
import type { VoiceEnv } from './voice-env.js'

/** Participants of a conference, each by the sid of its call or by its label. */
export function addParticipantRoutes(api: OpenAPIHono<VoiceEnv>, deps: InviteDeps): void {
  const { conferences } = deps
  const ofAccount = CONFERENCES.replace('{AccountSid}', ':AccountSid')
  const list = `${ofAccount}/:ConferenceSid/Participants` as const
  const one = `${ofAccount}/:ConferenceSid/Participants/:CallSid` as const

  api.get(list, async (c) => {
    const query = new URL(c.req.url).searchParams
    const page = readPage(query)
    const isWanted = filterOf(query)
    const [accountSid, sid] = [c.var.account.sid, c.req.param('ConferenceSid')]
    const all = (await conferences.participants(accountSid, sid)).filter(isWanted)
    const { shown, facts } = pageOfCalls(all, page)
    const path = `/2010-04-01/Accounts/${accountSid}/Conferences/${sid}/Participants`
    return c.json({
      participants: shown.map(participantToWire),
      ...envelope(path, query, page, facts),
    })
  })

  api.post(list, async (c) => {
    const fields = readForm(await c.req.text())
    const form = parseForm(createParticipantForm, fields, CONFERENCE_FIELD_ERRORS)
    const made = await inviteParticipant(c.var.account, c.req.param('ConferenceSid'), form, deps)
    return c.json(participantToWire(made), 201)
  })

  api.get(one, async (c) => {
    const [sid, name] = [c.req.param('ConferenceSid'), c.req.param('CallSid')]
    return c.json(participantToWire(await conferences.participant(c.var.account.sid, sid, name)))
  })

  api.post(one, async (c) => {
    const fields = readForm(await c.req.text())
    const form = parseForm(updateParticipantForm, fields, CONFERENCE_FIELD_ERRORS)
    const [sid, name] = [c.req.param('ConferenceSid'), c.req.param('CallSid')]
    const { sid: accountSid } = c.var.account
    const changed = await conferences.change(accountSid, sid, name, changeOf(form))
    const { AnnounceUrl: url, AnnounceMethod: method = 'POST' } = form
    if (url !== undefined) await conferences.announce(accountSid, sid, { url, method }, name)
    return c.json(participantToWire(changed))
  })

  api.delete(one, async (c) => {
    const [sid, name] = [c.req.param('ConferenceSid'), c.req.param('CallSid')]
    await conferences.remove(c.var.account.sid, sid, name)
    return c.body(null, 204)
  })
}

function changeOf(form: z.infer<typeof updateParticipantForm>): ParticipantChange {
  const { Hold: hold, WaitUrl: waitUrl } = form
  const music = { url: form.HoldUrl, method: form.HoldMethod ?? 'GET' }
  const coach = coachOf(form)
  return {
    ...(form.Muted === undefined ? {} : { isMuted: form.Muted }),
    ...(hold === undefined ? {} : { hold: hold ? music : 'none' }),
    ...(waitUrl === undefined
      ? {}
      : { waiting: { url: waitUrl, method: form.WaitMethod ?? 'POST' } }),
    ...(form.BeepOnExit === undefined ? {} : { beepsOnExit: form.BeepOnExit }),
    ...(form.EndConferenceOnExit === undefined ? {} : { endOnExit: form.EndConferenceOnExit }),
    ...(coach === undefined ? {} : { coach }),
  }
}

/** Whom to coach says that there is somebody; `Coaching=false` that there is nobody any more. */
function coachOf(form: z.infer<typeof updateParticipantForm>): ParticipantChange['coach'] {
  const { Coaching: isCoaching, CallSidToCoach: coached } = form
  if (isCoaching === false) return { callSid: undefined }
  if (isCoaching === true && coached === undefined)
    throw new ApiError(400, 13240, "'CallSidToCoach' is missing: who is to be coached")
  return coached === undefined ? undefined : { callSid: coached }
}

function filterOf(query: URLSearchParams): (participant: ParticipantView) => boolean {
  const wanted = (name: string): boolean | undefined => {
    const value = query.get(name)?.toLowerCase() ?? ''
    if (value === '') return undefined
    if (value === 'true' || value === 'false') return value === 'true'
    throw new ApiError(400, 20422, `'${name}' is not valid: must be true or false`)
  }
  const [muted, hold, coaching] = [wanted('Muted'), wanted('Hold'), wanted('Coaching')]
  return ({ isMuted, isHeld, coach }) =>
    isMuted === (muted ?? isMuted) &&
    isHeld === (hold ?? isHeld) &&
    (coach !== undefined) === (coaching ?? coach !== undefined)
}
