/** Why single sign-on led back here. */
export interface LoginFailure {
  readonly title: string
  readonly text: string
  /** To quote to an operator, who finds the details in the log. */
  readonly request: string | undefined
}

const FAILED: Omit<LoginFailure, 'request'> = {
  title: 'You are not signed in',
  text: 'Single sign-on was not completed: it was refused or cancelled, took longer than ten minutes, or was begun in another browser. Please try again.',
}

const TEXTS: Readonly<Record<string, Omit<LoginFailure, 'request'>>> = {
  LoginFailed: FAILED,
  LoginUnavailable: {
    title: 'Single sign-on does not answer',
    text: 'The identity provider cannot be reached at the moment. Please try again later; if it lasts, tell an operator.',
  },
  NotSignedIn: {
    title: 'You are not signed in',
    text: 'The identity provider did not say who you are, or has not verified your email address.',
  },
  TooManyRequests: { title: 'Too many attempts', text: 'Please wait a minute and try again.' },
}

/** Reads the address of the login page. Only a code travels there: a link cannot put words into our mouth. */
export function loginFailure(search: string): LoginFailure | undefined {
  const query = new URLSearchParams(search)
  const code = query.get('failure')
  if (code === null) return undefined
  const request = query.get('request') ?? ''
  const texts = Object.hasOwn(TEXTS, code) ? TEXTS[code] : undefined
  return { ...(texts ?? FAILED), request: /^[0-9a-f-]{36}$/.test(request) ? request : undefined }
}
