/** The version of this product, as the server and the command line tell it. */
export const VERSION = '0.1.0'
