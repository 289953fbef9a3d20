/** Version of this product. */
export const VERSION = '0.1.0'
