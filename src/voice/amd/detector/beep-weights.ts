/**
 * The weights of the beep network. Made by `npm run bench:amd -- --train-beeps`; do not edit.
 */
import type { StoredLayer } from './network.js'

export const BEEP_WEIGHTS: readonly StoredLayer[] = [
  {
    step: 0.00871499,
    weights:
      'ABEsFPErIAnlLvTWBA0LB+IGDgcI5tvH7BwP2f8Aw/cW9QMhIR8JGx8qAPL2KKH07e35yiuxI+v608XuESkw2iEG' +
      '9uoTAfHrD/EN8uci6PoT2eb48dsMHAoS+iT3Fb0CVyQQGfnbsCFVH/kktlo3BvX/Edey+STX6sMr3EWPLA2YZbpL' +
      '0cEPMDopGTP9MX9Flw0K3iHx7R2QFxX38xPu+RZI/v2yHjrKDQTqBMYU/grkJigdMTfx9RcECOf5wxgw1xVIDPEq' +
      'GQrb2QkK1/jYGRMS3r3YGxTq+C70/CX0/7vmC9kU5PXH0PEtA+EtxtsO0vflPwseOGfLManKOSEPKAPoAxYY/xsD' +
      'Dg4F8eL9GSsD8uvZBxUg5LD+CQYYBj4r6RrcDf4HEesLAv7s/f4CAAD55w/YPu/p9xDT9ib68An6/w0PO+Lf+hce' +
      '9x8EDPgQCSPt9fv+2SO7Nv8h6M7PLRzzD0ko4R0TCdAPDOK/Ga0=',
    biases: [
      -0.3225, -0.1161, 0.8723, -0.2832, 1.006, 1.212, 1.27, 0.1415, -0.378, -0.3947, 0.6767,
      -0.2997, -0.3033, -0.1744, -0.3628, -0.5991,
    ],
  },
  {
    step: 0.00938497,
    weights: 'K+OaF4G7rcs/NMQXHwk+Vg==',
    biases: [-0.5393],
  },
]
