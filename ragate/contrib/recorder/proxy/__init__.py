"""Recorded model calls: a loopback server between a system under test and its model's provider.

It speaks the OpenAI API. What is known already is replayed, what is not is forwarded under the
policy's caps and kept, and what may not be forwarded is written down as a pending request.
"""
