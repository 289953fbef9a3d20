import { expect, it } from 'vitest'
import { RoomPlaces } from '../../../../../src/voice/telephony/servers/room-places.js'

const a = { name: 'a', isLost: false }
const b = { name: 'b', isLost: false }

it('keeps a room where its first member is', () => {
  const places = new RoomPlaces<typeof a>()
  expect(places.enter('room', a).server).toBe(a)
  expect(places.enter('room', b).server).toBe(a)
  expect(places.enter('other', b).server).toBe(b)
})

it('frees the name with the last member, however often one leaves', () => {
  const places = new RoomPlaces<typeof a>()
  const first = places.enter('room', a)
  const second = places.enter('room', b)
  first.leave()
  first.leave()
  expect(places.enter('room', b).server).toBe(a)
  second.leave()
  expect(places.enter('room', b).server).toBe(a)
})

it('makes the room anew when all have left', () => {
  const places = new RoomPlaces<typeof a>()
  places.enter('room', a).leave()
  expect(places.enter('room', b).server).toBe(b)
})

it('gives up a room with its server, and the late ones who leave it do no harm', () => {
  const places = new RoomPlaces<typeof a>()
  const dying = { name: 'c', isLost: false }
  const old = places.enter('room', dying)
  dying.isLost = true
  expect(places.enter('room', b).server).toBe(b)
  old.leave()
  expect(places.enter('room', a).server).toBe(b)
})
