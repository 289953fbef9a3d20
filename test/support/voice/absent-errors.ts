/** Error numbers that the convention documents and this server never answers or logs, with reasons. */
export interface AbsentErrors {
  readonly numbers: readonly number[]
  readonly why: string
}

const range = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index)

export const ABSENT_ERRORS: readonly AbsentErrors[] = [
  { numbers: [10001], why: 'An account that is not active is 20005 everywhere.' },
  { numbers: [10005], why: 'Voice cannot be switched off for one account.' },
  { numbers: [11217], why: 'An HTTP error status is told as 11200, the general number.' },
  { numbers: [11251], why: 'A broken HTTP answer is told as 11206.' },
  {
    numbers: [13311],
    why: 'A finishOnKey of a Gather that is empty means none; one that is wrong is 13310.',
  },
  {
    numbers: range(13617, 13620),
    why: 'Recordings are not transcribed: the attributes that would be out of range have no effect.',
  },
  { numbers: [13257], why: 'A Dial is not transcribed.' },
  { numbers: [16021], why: 'Conferences of an account are not limited; its calls are.' },
  { numbers: range(16104, 16107), why: 'Recordings are not encrypted with a key of the customer.' },
  { numbers: [20001], why: 'Unknown parameters are ignored, as client libraries expect.' },
  { numbers: [20008], why: 'There are no test credentials; the lab is for tests.' },
  { numbers: [20409], why: 'What conflicts has a number of its own, such as 20009.' },
  { numbers: [20423], why: 'A sid of the wrong form names nothing: 20404.' },
  { numbers: [20504], why: 'An internal failure is 20500.' },
  { numbers: [21202, 21203], why: 'The operator blocks prefixes: 21216.' },
  { numbers: [21207], why: 'IfMachine is the parameter before MachineDetection, and is ignored.' },
  { numbers: [21219], why: 'There are no trial accounts.' },
  { numbers: [21214, 21217], why: 'A number that cannot be called is 21211.' },
  { numbers: [21226], why: 'Calls to SIP URIs cannot be switched off.' },
  {
    numbers: [21263],
    why: 'Detection of a Number or Sip has a callback of its own, which is used.',
  },
  { numbers: [21301], why: 'Applications of an account are not limited.' },
  {
    numbers: [21404, 21409],
    why: 'There are no trial accounts; the name of a caller may be wanted for every number.',
  },
  {
    numbers: [21453],
    why: 'Accounts learn nothing of each other: two may verify the same number.',
  },
  { numbers: [21455], why: 'PlayUrl is no parameter of a verification.' },
  {
    numbers: [21457, 21458],
    why: 'A number of any kind can be claimed at each of the paths.',
  },
  { numbers: range(21470, 21480), why: 'Accounts are made on the private listener, by JSON.' },
  { numbers: [31940, 31942], why: 'Streams have no connectors to configure.' },
  { numbers: [31953], why: 'A stream goes on through silence; the call has its own limits.' },
  { numbers: [32008], why: 'A source that registers too often gets 503 with Retry-After, in SIP.' },
  { numbers: [32221], why: 'A user without devices is not registered: 32009.' },
  {
    numbers: [32102],
    why: 'A broken SIP message is answered in SIP and makes no call whose log could have the number.',
  },
  {
    numbers: [32015],
    why: 'A call that ends by its time limit is completed, without a number.',
  },
  {
    numbers: [32203, 32205, 32206, 32216],
    why: 'Softphones are not blocked by country, caller ID or a deny list; the operator blocks prefixes.',
  },
]
