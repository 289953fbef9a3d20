import { pageAnswer } from './page-answer.js'

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

/** Answers with a reader for `/openapi.json` that fetches nothing from elsewhere. */
export function docsAnswer(): Response {
  return pageAnswer({ title: 'Trunkline API', style: STYLE, body: BODY, script: SCRIPT })
}
