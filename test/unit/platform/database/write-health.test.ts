import { expect, it } from 'vitest'
import { deferred } from '../../../../src/platform/async/deferred.js'
import { StorageUnavailableError } from '../../../../src/platform/database/storage-error.js'
import { WriteHealth } from '../../../../src/platform/database/write-health.js'

it('tries once, however many reads fail at a moment, and then knows whether writes are taken', async () => {
  const probed = deferred()
  let probes = 0
  using health = new WriteHealth({
    failureOf: (error) => error,
    probe: () => {
      probes += 1
      return probed.done
    },
  })
  for (let read = 0; read < 100; read += 1) health.suspect()
  expect(probes).toBe(1)
  expect(health.isWritable).toBe(true)
  probed.reject(new StorageUnavailableError('away'))
  await expect.poll(() => health.isWritable).toBe(false)
})
