/** The methods with which a customer's server is asked for a document, or told of an event. */
export type WebhookMethod = 'GET' | 'POST'

/** The methods of requests that leave this process. */
export type HttpMethod = WebhookMethod | 'PUT' | 'DELETE'
