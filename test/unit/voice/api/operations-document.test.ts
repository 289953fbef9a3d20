import { expect, it } from 'vitest'
import { createLogger } from '../../../../src/platform/log.js'
import { voiceOperations } from '../../../../src/voice/api/voice-api.js'
import { operationsTable } from '../../../support/http/operations-table.js'
import { setUpCalls } from '../../../support/voice/calls-fixture.js'

it('docs/voice-operations.md shows the operations as they are', async () => {
  await using bench = await setUpCalls()
  const operations = voiceOperations({ ...bench, log: createLogger('silent') })
  const document = `# Operations of the voice API

All paths are below \`/2010-04-01\`. A path may end in \`.json\` or \`.xml\`, which says what the answer
is; without either it is JSON. What each operation takes and answers: \`/openapi.json\`. This page is
generated from the operations that the server mounts; its test fails when it is not current
(\`npx vitest run test/unit/voice/api/operations-document.test.ts -u\` writes it anew).

${operationsTable(operations)}
`
  await expect(document).toMatchFileSnapshot('../../../../docs/voice-operations.md')
})
