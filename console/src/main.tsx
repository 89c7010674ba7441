import '@mantine/core/styles.css'
import '@mantine/notifications/styles.css'
import './app/app.css'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app/App.tsx'
import { keepInvitationToken } from './lib/invitation-token.ts'

const root = document.getElementById('root')
if (root === null) throw new Error('failed to start the console: index.html has no element with id root')
keepInvitationToken(window.location)
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
)
