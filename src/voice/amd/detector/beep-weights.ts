/**
 * The weights of the beep network. Made by `npm run bench:amd -- --train-beeps` from the tuning part; do
 * not edit.
 */
import type { StoredLayer } from './network.js'

export const BEEP_WEIGHTS: readonly StoredLayer[] = [
  {
    step: 0.009187,
    weights:
      '+gUnGPIpFwjtPO/SAgwGAeT/AAAI3uTP6RkV1gD/y/kX+v4aIRsLHCIjBfj3J6rx7+7zzSi7I/AC0MTeCywh4BYL' +
      '//EU+PPwD/YK8uka6PYY2eX78+EPHAkU+xjzFLoGVScXCvfdtiJLFfYjs10/+vsBEtm+9h3U7MEn4EmVOgigacRC' +
      '2c4ELzwnKi36Imo9gScF2R7s6g2NFwv97w0IBQw+/wfIKkLm6//wD8wbIQreHSMgOhnmBRIC/ur1vxct3RJGDPEt' +
      'Ggno2Q4B0gHUEw8J5MHcGxbw9ijw/i/x+sTgCdsV6vXVz/U4FvEz4NUX0e3UIP0dOmvEMsHaKBwPJP3nBBUaAh4B' +
      'ERAL9OL/GCv97fHbBRMJ3bf3AQwf/zsw6x7iDQgHFucADPzu//sC//386wzbPPDm+BTU9iX76gfz/ggOL+bh+RQj' +
      '+hoBDPwQDCDw8fwB2CbFMQQr9MbUNQz0G0Ab1RsH+MQAC+LeALc=',
    biases: [
      -0.2748, -0.09352, 0.8828, -0.2623, 0.8962, 1.22, 1.156, 0.06061, -0.3639, -0.3425, 0.6537,
      -0.2969, -0.3473, -0.1919, -0.3071, -0.4575,
    ],
  },
  {
    step: 0.00908841,
    weights: 'LeiaEYG5rdVDMMYWIwc6Tg==',
    biases: [-0.5181],
  },
]
