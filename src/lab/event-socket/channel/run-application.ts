import type { Logger } from '../../../platform/log.js'
import type { AppFrame } from './app-frame.js'
import type { ExecuteRequest } from './app-runner.js'
import type { Application, AppTable } from './application.js'
import { applicationHeaders, tellComplete } from './application-events.js'
import type { Applications, Channel } from './channel.js'

/** Makes the applications of a table executable on channels. */
export function applicationsOf(table: AppTable, log: Logger): Applications {
  return {
    traits: ({ app }) => table.get(app),
    run: async (request, channel, frame) => {
      const application = table.get(request.app)
      if (application !== undefined)
        await runApplication(application, request, { channel, frame, log })
    },
  }
}

/**
 * Runs an application: tells of its beginning, and of its end once everything that ran on top of it
 * has ended.
 */
async function runApplication(
  application: Application,
  request: ExecuteRequest,
  run: { readonly channel: Channel; readonly frame: AppFrame; readonly log: Logger },
): Promise<void> {
  const { channel, frame, log } = run
  const { variables } = channel
  const arg = variables.isTrue('app_disable_expand_variables')
    ? request.arg
    : channel.expand(request.arg)
  variables.setAll({
    current_loop: '1',
    total_loops: '1',
    current_application: request.app,
    current_application_data: arg,
    current_application_response: undefined,
  })
  channel.fire('CHANNEL_EXECUTE', applicationHeaders(request, arg))
  try {
    await application.run({ channel, frame, arg, log })
  } catch (err) {
    log.error({ err, app: request.app, arg, channel: channel.uuid }, 'an application failed')
    variables.set('current_application_response', 'EXECUTION FAILED')
  }
  await channel.work.apps.whenOnTop(frame)
  tellComplete(channel, request, arg)
  variables.setAll({ current_loop: undefined, total_loops: undefined })
}
