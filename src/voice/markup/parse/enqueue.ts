/**
 * Enqueue: puts the caller into a queue, where a document plays until another call takes it.
 *
 * | attribute | values | default | wrong |
 * |---|---|---|---|
 * | action | URL, may be relative | the next verb | – |
 * | method | GET, POST | POST | 12200 |
 * | waitUrl | URL; empty = silence | music | 11100; 15004 relative in an inline document |
 * | waitUrlMethod | GET, POST | POST | 12200 |
 * | maxQueueSize | whole number, 1 to 5000 | the queue's own | 12200 |
 * | workflowSid | any; has no effect without a queue name | none | – |
 * | (text) | name of the queue, up to 64 characters | – | 12200 |
 * | (child) | Task: JSON, with priority and timeout | – | – |
 */
import type { WebhookMethod } from '../../../platform/http/http-method.js'
import { readAttributes } from './attributes.js'
import { collapse, textOf } from './text.js'
import type { Warn } from './warnings.js'
import type { XmlElement } from './xml.js'

/** An Enqueue. Without a `queue` the caller cannot wait. */
export interface EnqueueVerb {
  readonly type: 'enqueue'
  readonly element: XmlElement
  readonly queue: string | undefined
  readonly action: string | undefined
  readonly method: WebhookMethod
  /** The URL as written; undefined: the default music; empty: silence. */
  readonly waitUrl: string | undefined
  readonly waitMethod: WebhookMethod
  /** The limit of the queue; the queue's own when undefined. */
  readonly maxQueueSize: number | undefined
  readonly task: EnqueuedTask | undefined
}

/** A task for a work router, which this program does not have. */
export interface EnqueuedTask {
  readonly workflowSid: string | undefined
  readonly attributes: string
}

const MAX_NAME = 64
const MAX_SIZE = 5000

export function parseEnqueue(element: XmlElement, warn: Warn): EnqueueVerb {
  const read = readAttributes(element, warn)
  const task = taskOf(element, read.text('workflowSid'))
  return {
    type: 'enqueue',
    element,
    queue: queueName(element, task, warn),
    action: read.text('action'),
    method: read.method('method', 12200),
    waitUrl: read.text('waitUrl')?.trim(),
    waitMethod: read.method('waitUrlMethod', 12200),
    maxQueueSize: read.integer(
      'maxQueueSize',
      { min: 1, max: MAX_SIZE },
      { otherwise: undefined, code: 12200 },
    ),
    task,
  }
}

function queueName(
  element: XmlElement,
  task: EnqueuedTask | undefined,
  warn: Warn,
): string | undefined {
  const texts = element.children.filter((child) => child.type === 'text')
  const name = collapse(textOf({ ...element, children: texts }))
  if (name === '' && task === undefined) warn(12200, 'Enqueue: the queue has no name')
  if (name.length > MAX_NAME)
    warn(12200, `Enqueue: the queue's name is longer than ${MAX_NAME} characters`)
  return name === '' || name.length > MAX_NAME ? undefined : name
}

function taskOf(element: XmlElement, workflowSid: string | undefined): EnqueuedTask | undefined {
  const task = element.children.find((child) => child.type === 'element' && child.name === 'Task')
  if (task?.type !== 'element')
    return workflowSid === undefined ? undefined : { workflowSid, attributes: '{}' }
  return { workflowSid, attributes: textOf(task).trim() }
}
