import { z } from '@hono/zod-openapi'
import { openGate } from '../api/api.js'
import { routingPath } from '../api/api-request.js'
import { DescribedApp } from '../api/described-app.js'
import { descriptionOperation } from '../api/description-operation.js'
import { mountApi } from '../api/mount-api.js'
import { type Operation, operationsOf } from '../api/operation.js'
import { plainDialect } from '../api/plain-dialect.js'
import type { Logger } from '../log.js'
import { pageAnswer } from './page-answer.js'

export interface PublicAppOptions {
  readonly version: string
  /** URL of the server for customers, for the description. */
  readonly url?: string
  /**
   * Returns whether the server is ready. It is not while a server that calls need is unreachable; `detail`
   * names it.
   */
  readonly readiness: () => Readiness
  /** The functions that add an API's routes. */
  readonly mount: readonly ((app: DescribedApp) => void)[]
  readonly log: Logger
}

export interface Readiness {
  readonly isReady: boolean
  readonly detail: Readonly<Record<string, string>>
}

const STYLE = `
body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1b1f24}
summary{cursor:pointer;padding:.4rem 0;font-family:ui-monospace,monospace}
b{display:inline-block;min-width:4.5rem}table{border-collapse:collapse;margin:.5rem 0 1rem 1rem}
td,th{border:1px solid #d0d7de;padding:.2rem .6rem;text-align:left;vertical-align:top}
`

const SCRIPT = `
const cell=(row,text)=>{row.insertCell().textContent=text}
const follow=(spec,node)=>node&&node.$ref?node.$ref.split('/').slice(1).reduce((at,key)=>at[key],spec):node
const rowsOf=(spec,operation)=>{
  const rows=(operation.parameters||[]).map(p=>[p.name,p.in,p.required?'required':'',JSON.stringify(p.schema||{})])
  for(const media of Object.values((operation.requestBody||{}).content||{})){
    const schema=follow(spec,media.schema)||{}
    for(const [name,field] of Object.entries(schema.properties||{}))
      rows.push([name,'body',(schema.required||[]).includes(name)?'required':'',JSON.stringify(field)])
  }
  return rows
}
fetch('/openapi.json').then(answer=>answer.json()).then(spec=>{
  const list=document.getElementById('list');list.textContent=''
  for(const [path,methods] of Object.entries(spec.paths))for(const [method,operation] of Object.entries(methods)){
    const item=document.createElement('details'),head=document.createElement('summary'),name=document.createElement('b')
    name.textContent=method.toUpperCase();head.append(name,path);item.append(head)
    const table=document.createElement('table')
    for(const values of rowsOf(spec,operation)){const row=table.insertRow();values.forEach(text=>cell(row,text))}
    for(const [status,answer] of Object.entries(operation.responses||{})){const row=table.insertRow();cell(row,status);cell(row,answer.description||'')}
    item.append(table);list.append(item)
  }
}).catch(error=>{document.getElementById('list').textContent='The description could not be read: '+error})
`

const BODY = `<h1>Trunkline API</h1>
<p>Generated from <a href="/openapi.json">openapi.json</a>, which client generators read too.</p>
<main id="list">Loading …</main>
`

/** Returns the app of the public listener: the given APIs, their description, and two health checks. */
export function createPublicApp(options: PublicAppOptions): DescribedApp {
  const app = new DescribedApp({ getPath: (request) => routingPath(request.url) })
  for (const mount of options.mount) mount(app)
  mountApi(app, {
    base: '',
    tag: 'Service',
    dialect: plainDialect,
    gate: openGate,
    operations: [
      ...healthOperations(options),
      descriptionOperation(app, {
        title: 'Trunkline',
        version: options.version,
        url: options.url ?? '/',
      }),
      operation({
        id: 'readDescription',
        summary: 'Read the description as a page',
        method: 'get',
        path: '/docs',
        isOpen: true,
        response: { mediaTypes: ['text/html'], description: 'A page for a browser.' },
        run: () => docsAnswer(),
      }),
    ],
    params: {},
    errors: [],
    hidesPaths: false,
    log: options.log,
  })
  return app
}

/** Returns a viewer for `/openapi.json` that loads nothing from other sites. */
function docsAnswer(): Response {
  return pageAnswer({ title: 'Trunkline API', style: STYLE, body: BODY, script: SCRIPT })
}

const operation = operationsOf<unknown>()

const readinessAnswer = z
  .object({ status: z.string().openapi({ description: 'ready, or not ready.' }) })
  .catchall(z.string())

function healthOperations({ version, readiness }: PublicAppOptions): Operation<unknown>[] {
  return [
    operation({
      id: 'getHealth',
      summary: 'Tell that the process answers',
      method: 'get',
      path: '/healthz',
      isOpen: true,
      response: z.object({
        status: z.literal('ok').openapi({ description: 'Always the same.' }),
        version: z.string().openapi({ description: 'The version of the server.' }),
      }),
      run: () => ({ status: 'ok', version }),
    }),
    operation({
      id: 'getReadiness',
      summary: 'Tell whether calls can be taken and placed: 200, or 503',
      method: 'get',
      path: '/readyz',
      isOpen: true,
      response: readinessAnswer,
      errors: [503],
      problems: { 503: readinessAnswer },
      run: () => {
        const { isReady, detail } = readiness()
        const body = { status: isReady ? 'ready' : 'not ready', ...detail }
        return Response.json(body, { status: isReady ? 200 : 503 })
      },
    }),
  ]
}
