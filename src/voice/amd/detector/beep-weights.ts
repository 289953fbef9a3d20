/**
 * The weights of the beep network. Made from the tuning part by the training of `npm run bench:amd --
 * --train-beeps`, on tones that were picked a little wider than the command picks them; its own weights
 * hit one or two in two hundred of the noisy beeps fewer. Do not edit.
 */
import type { StoredLayer } from './network.js'

export const BEEP_WEIGHTS: readonly StoredLayer[] = [
  {
    step: 0.00967393,
    weights:
      'A/8wE/YsGgj3KgDVBwX/AOz9CAEG6uXS7hQV2P/+0PcT8vkfGxkPEyUhAQD0JKX/9fj2yzTDIPD62M7kFDIp5h4I' +
      '/fMb8ez0DvsM9u0Z5vUU2N359+URGAYO/RUDC8X/TTMJDPzdvyE+D+8mwVJG+PcBC9+x9yDi6tUk8keoLRmlVstC' +
      '2c//NTgsIjDyFHFGgSEL1hf45gycGAX/8hf/CgYq8gbEDSr7GAn7Et0EAxbZFR0bLST18wwG+fD5uxUj2RhIBPgw' +
      'Egbt2wgF3fXhFRUM48bZFgnq+ivuASvu+8fjCNwP5/fmz/kkEuke2eMX0OrhJfoUM1a7O8LZLR0YJv7rARUT/hsG' +
      'DRUM9uT8FSH+8eHfAxsF1cTw+P8ZAz4r9xvhDgoFEuwFAPbzAf35Bu756hTeR/Lu+RDa9in77QX6+woSKOvgABcd' +
      '8yL0B/oUFCTx8fUG5yPWLxAd5tTKKg/xE0Id6CAOAdsL/uDGELY=',
    biases: [
      -0.2686, -0.1012, 0.8832, -0.279, 0.9533, 1.248, 1.265, -0.01553, -0.4481, -0.3936, 0.6546,
      -0.3468, -0.3486, -0.2134, -0.346, -0.6161,
    ],
  },
  {
    step: 0.00903827,
    weights: 'K+mRE4G7pudGNMYbIBA5Uw==',
    biases: [-0.5399],
  },
]
