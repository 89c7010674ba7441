import { Component } from 'react'
import type { ReactNode } from 'react'
import { ProblemView } from './ProblemView.tsx'

interface ErrorBoundaryProps {
  readonly children: ReactNode
}

/** A page that failed to draw, or whose code could not be loaded, shows that and leaves the rest usable. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, { readonly error: unknown }> {
  override state = { error: undefined }

  static getDerivedStateFromError(error: unknown): { error: unknown } {
    return { error: error ?? new Error('unknown error') }
  }

  override render(): ReactNode {
    if (this.state.error === undefined) return this.props.children
    return <ProblemView error={this.state.error} onRetry={() => location.reload()} />
  }
}
