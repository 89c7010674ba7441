import { defineFailures } from '../kernel/index.ts'

export const raise = defineFailures({
  EmailTaken: {
    whoseMove: 'user',
    retryable: false,
    nextStep: 'Use the user who has this email, or another email.',
  },
  UserInUse: {
    whoseMove: 'user',
    retryable: false,
    nextStep: 'Delete what the message names first, wait until it is gone, and delete the user again.',
  },
  LastAdmin: {
    whoseMove: 'user',
    retryable: false,
    nextStep: 'Make another user an admin first.',
  },
  OrganizationNameTaken: {
    whoseMove: 'user',
    retryable: false,
    nextStep: 'Choose another name.',
  },
  OrganizationInUse: {
    whoseMove: 'user',
    retryable: false,
    nextStep: 'Delete what the message names first, wait until it is gone, and delete the organization again.',
  },
  LastOwner: {
    whoseMove: 'user',
    retryable: false,
    nextStep: 'Make another member an owner first, or delete the organization.',
  },
  MemberExists: {
    whoseMove: 'user',
    retryable: false,
    nextStep: 'Change the role of the member instead.',
  },
  InvitationInvalid: {
    whoseMove: 'user',
    retryable: false,
    nextStep: 'Log in with the invited email, or ask an owner of the organization for a new invitation.',
  },
})
