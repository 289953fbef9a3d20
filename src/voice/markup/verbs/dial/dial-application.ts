/** Dial's noun Application: the caller hears an application's documents, until their end. */
import type { ApplicationNoun } from '../../parse/application.js'
import type { DialVerb } from '../../parse/dial.js'
import { resolveCallback } from '../resolve-callback.js'
import type { VerbContext } from '../verb-run.js'
import { dialOnLeg } from './dial-on-leg.js'
import type { DialParams } from './dial-params.js'
import type { DialRecorder } from './dial-recorder.js'

/** Connects the caller with the application; see `dialOnLeg`. */
export async function dialApplication(
  noun: ApplicationNoun,
  verb: DialVerb,
  context: VerbContext,
  recorder: Pick<DialRecorder, 'answered'>,
): Promise<DialParams> {
  const { host, documentUrl } = context
  const place = (onOver: Parameters<typeof host.callApplication>[1]) =>
    host.callApplication(
      {
        sid: noun.sid,
        callerId: verb.callerId,
        copyParentTo: noun.copyParentTo,
        customerId: noun.customerId,
        parameters: Object.fromEntries(noun.parameters.map(({ name, value }) => [name, value])),
        statusCallback: resolveCallback(noun.statusCallback, documentUrl, 'Dial', host),
      },
      onOver,
    )
  return await dialOnLeg(place, verb, context, recorder)
}
