import { beforeEach } from 'vitest'
import { reasonAgainst } from './scope.js'

/** Runs before each test file of a conformance run. */
beforeEach(({ skip, task }) => {
  const reason = reasonAgainst(task.file.filepath, task.name)
  if (reason !== undefined) skip(reason)
})
